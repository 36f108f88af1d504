;;; view-model-find-results.el --- The results of a finder  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the finder has said and what the user wants to be searched, in
;; the buffer with the results; how one goes through these, chooses one,
;; and sees its file.
;;
;; Who reads what is searched is no matter of this file.

;;; Code:

(require 'subr-x)
(require 'url-util)
(require 'view-model-find-row)
(require 'view-model-list)
(require 'xref)

;;; What is known

(defconst view-model-find--modes '("files" "text" "regex")
  "What can be searched.")

(defconst view-model-find--patience 0.3
  "Seconds after which results of what was typed before are dimmed.")

(defvar-local view-model-find--query '("" . "files")
  "What the finder searches, as it said: (TEXT . MODE).")

(defvar-local view-model-find--found nil
  "What the rows are results of: (TEXT . MODE), or nil.")

(defvar-local view-model-find--wanted '("" . "files")
  "What the user wants to be searched: (TEXT . MODE).")

(defvar-local view-model-find--scanning nil
  "The last event that told how many files there are.")

(defvar-local view-model-find--matches nil
  "The last event that told how many results there are.")

(defvar-local view-model-find--problem nil
  "Why there are no results, in words.")

(defvar-local view-model-find--note nil
  "What there is to say beside the results.")

(defvar-local view-model-find--minibuffer nil
  "The minibuffer in which is typed what is searched, or nil.")

(defvar-local view-model-find--window nil
  "The window that the minibuffer was entered from.")

(defvar-local view-model-find--has-moved nil
  "Whether the user has gone to a row since the text was changed.
Until then the first row is the current one.")

(defvar-local view-model-find--is-hidden nil
  "Whether the rows are of another search, which the user has left.")

(defvar-local view-model-find--late-timer nil
  "Dims the rows when those of a new text don't come.")

(defvar-local view-model-find--is-late nil
  "Whether the rows of a new text didn't come for a while.")

(defvar-local view-model-find--choice nil
  "How far the user's decision is.
It is nil, `waits' for the rows of what was typed, or the row that
the finder was told.")

(defvar-local view-model-find--visit #'find-file
  "By what the chosen file is visited.")

(defvar-local view-model-find--accepted nil
  "What is to be visited: a list of the event that names it, and its row.")

(defvar-local view-model-find--is-previewing nil
  "Whether the user wants to see the current file.")

(defvar-local view-model-find--previewed nil
  "The identity of the row whose preview was asked for last.")

(defvar-local view-model-find--asks-preview nil
  "Whether a preview was asked for that isn't here.")

(defvar-local view-model-find--preview nil
  "The buffer of the preview, or nil.")

(defvar-local view-model-find--leaves-preview nil
  "Whether the preview was told to close.")

(defvar-local view-model-find--covered nil
  "What the window of the preview showed before: (WINDOW BUFFER START POINT).")

(defvar-local view-model-find--results nil
  "In the minibuffer, the buffer with the results.")

(defun view-model-find--results ()
  "Return the buffer with the results: this one, or that of this minibuffer."
  (cond ((buffer-live-p view-model-find--results) view-model-find--results)
        ((derived-mode-p 'view-model-find-mode) (current-buffer))
        (t (user-error "No finder is here"))))

(defmacro view-model-find--with-results (&rest body)
  "Do BODY in the buffer with the results."
  (declare (indent 0) (debug t))
  `(with-current-buffer (view-model-find--results) ,@body))

;;; What the finder says

(defun view-model-find--reset ()
  "Forget what the finder said."
  (unless view-model-list--rows (view-model-list--begin (view-model-list "results")))
  (setq view-model-find--query '("" . "files")
        view-model-find--found nil
        view-model-find--scanning nil
        view-model-find--matches nil
        view-model-find--problem nil
        view-model-find--note nil
        view-model-find--previewed nil)
  (view-model-find--show-prompt))

(defun view-model-find--take (event)
  "Remember EVENT."
  (pcase (plist-get event :kind)
    ("query" (setq view-model-find--query (cons (plist-get event :text) (plist-get event :mode))))
    ("results" (setq view-model-find--found view-model-find--query))
    ("scanning" (setq view-model-find--scanning event))
    ("matches" (setq view-model-find--matches event))
    ("failed" (setq view-model-find--problem (plist-get event :message)))
    ("note" (setq view-model-find--note (plist-get event :message)))
    ("accepted" (when (consp view-model-find--choice)
                  (setq view-model-find--accepted (list event view-model-find--choice)
                        view-model-find--choice nil)
                  (run-at-time 0 nil #'view-model-find--decided (current-buffer))))))

(defun view-model-find--waits-for (&rest kinds)
  "Return whether an event of one of KINDS from here isn't answered."
  (seq-some (lambda (sent) (member (plist-get (view-model--sent-event sent) :kind) kinds))
            (view-model--view-pending view-model--view)))

(defun view-model-find--is-asking ()
  "Return whether the answer to a search that was begun here is still to come."
  (view-model-find--waits-for "query" "mode"))

(defun view-model-find--is-current ()
  "Return whether the rows are of what the user wants to be searched."
  (equal view-model-find--found view-model-find--wanted))

(defun view-model-find--take-over ()
  "Want what is searched, since another view of the session does."
  (let ((text (car view-model-find--query)))
    (setq view-model-find--wanted view-model-find--query
          view-model-find--has-moved nil
          view-model-find--choice nil)
    (when view-model-find--minibuffer
      (with-current-buffer view-model-find--minibuffer
        (unless (equal text (minibuffer-contents-no-properties))
          (delete-minibuffer-contents)
          (insert text))))
    (view-model-find--show-prompt)))

(defun view-model-find--opened ()
  "Let a new session search what is wanted, which the one before it did."
  (let ((wanted view-model-find--wanted))
    (unless (view-model-find--is-asking)
      (view-model-find--search wanted))))

(defun view-model-find--found-again ()
  "Let a session that was found search what is wanted in the minibuffer.
What was left in it is searched no more.  Without the minibuffer,
that is shown."
  (when view-model-find--minibuffer
    (let ((wanted view-model-find--wanted) (query view-model-find--query))
      (unless (or (equal (cdr query) (cdr wanted)) (view-model-find--waits-for "mode"))
        (view-model-find--send (list :kind "mode" :value (cdr wanted))))
      (unless (or (equal (car query) (car wanted)) (view-model-find--waits-for "query"))
        (view-model-find--send (list :kind "query" :text (car wanted)))))))

;;; Searching

(defun view-model-find--send (event)
  "Send EVENT to the finder.
Where its session has ended, the header line says so."
  (ignore-error user-error (view-model-send event)))

(defun view-model-find--search (wanted)
  "Let the finder search WANTED, (TEXT . MODE)."
  (let ((before (if (view-model-find--is-asking) view-model-find--wanted view-model-find--query)))
    (setq view-model-find--wanted wanted
          view-model-find--has-moved nil
          view-model-find--choice nil)
    (unless (equal (cdr before) (cdr wanted)) (view-model-find--send (list :kind "mode" :value (cdr wanted))))
    (unless (equal (car before) (car wanted)) (view-model-find--send (list :kind "query" :text (car wanted))))
    (view-model-find--expect)
    (view-model--paint view-model--view)))

(defun view-model-find--expect ()
  "Dim the rows if those that are wanted don't come soon."
  (unless (timerp view-model-find--late-timer)
    (setq view-model-find--late-timer
          (run-at-time view-model-find--patience nil
                       (lambda (buffer)
                         (when (buffer-live-p buffer)
                           (with-current-buffer buffer
                             (setq view-model-find--late-timer nil
                                   view-model-find--is-late (not (view-model-find--is-current)))
                             (view-model--paint view-model--view))))
                       (current-buffer)))))

(defun view-model-find--is-no-longer-late ()
  "Take note that the rows are those that are wanted."
  (when (timerp view-model-find--late-timer) (cancel-timer view-model-find--late-timer))
  (setq view-model-find--late-timer nil
        view-model-find--is-late nil))

(defun view-model-find--next-mode ()
  "Return what is searched after `view-model-find-switch'."
  (or (cadr (member (cdr view-model-find--wanted) view-model-find--modes)) (car view-model-find--modes)))

(defun view-model-find-switch ()
  "Search files, text in them, or a regular expression: the next of these."
  (interactive)
  (view-model-find--with-results
    (setq view-model-find--is-hidden t)
    (view-model-find--search (cons (car view-model-find--wanted) (view-model-find--next-mode)))
    (view-model-find--show-prompt)))

(defun view-model-find-reload ()
  "Look at the folder again.
Where the connection is lost, try to make it again; where the
session has ended, start another."
  (interactive)
  (view-model-find--with-results (view-model-reload)))

;;; Painting

(defun view-model-find--paint ()
  "Show the results that the window has room for."
  (unless (view-model-find--is-asking)
    ;; The same rows as before are told by no event.
    (setq view-model-find--found view-model-find--query)
    (when (and (view-model--view-session view-model--view)
               (not (equal view-model-find--query view-model-find--wanted)))
      (view-model-find--take-over)))
  (when (view-model-find--is-current)
    (view-model-find--is-no-longer-late)
    (setq view-model-find--is-hidden nil))
  (unless view-model-find--has-moved
    (view-model-rows-move-mark view-model-list--rows view-model-list--top 0)
    (view-model-rows-move-mark view-model-list--rows view-model-list--current 0))
  (if view-model-find--is-hidden
      (let ((inhibit-read-only t)) (erase-buffer))
    (view-model-list--paint))
  (when (= (point-min) (point-max)) (hl-line-unhighlight))
  (when view-model-find--is-late
    (let ((inhibit-read-only t)) (add-face-text-property (point-min) (point-max) 'view-model-stale)))
  (unless (view-model-find--waits-for "preview") (setq view-model-find--asks-preview nil))
  (unless (or (eq view-model-find--choice 'waits) (view-model-find--waits-for "accept"))
    (setq view-model-find--choice nil))
  (when (and (eq view-model-find--choice 'waits) (view-model-find--is-current)) (view-model-find--choose))
  (view-model-find--ask-preview))

(defun view-model-find--status ()
  "Say how much was found, or what is in the way."
  (let* ((files (view-model-find--counted (plist-get view-model-find--scanning :files) "file" "files"))
         (matches view-model-find--matches)
         (count (plist-get matches :count))
         (problem (or view-model-find--problem (view-model-rows-problem view-model-list--rows))))
    (concat
     (cond (problem (propertize problem 'face 'view-model-problem))
           ((null matches) "")
           ((not (equal (cdr view-model-find--query) "files"))
            (if (string-empty-p (car view-model-find--query))
                files
              (concat (view-model-find--counted count "line" "lines")
                      (unless (eq t (plist-get matches :isComplete)) "…"))))
           ((eql count (plist-get view-model-find--scanning :files)) files)
           (t (concat (string-remove-suffix " " (view-model-find--counted count "" "")) " of " files)))
     (when (and view-model-find--scanning (not (eq t (plist-get view-model-find--scanning :isDone))))
       "  scanning...")
     (when view-model-find--note (propertize (concat "  " view-model-find--note) 'face 'shadow))
     (when (eq view-model-find--choice 'waits) "  visits the first when it is here"))))

(defun view-model-find--show-prompt ()
  "Say what is searched, in the minibuffer and in the header line."
  (setq view-model-keys `(("C-t" . ,(view-model-find--next-mode)) ("TAB" . "preview")
                          ,@(if view-model-find--minibuffer '(("RET" . "visit") ("q")) '(("s" . "search")))))
  (when view-model-find--minibuffer
    (let ((prompt (view-model-find--prompt)))
      (with-current-buffer view-model-find--minibuffer
        (let ((inhibit-read-only t))
          (put-text-property (point-min) (minibuffer-prompt-end) 'display prompt)))))
  (force-mode-line-update))

(defun view-model-find--prompt ()
  "Return the prompt for what is searched."
  (concat (propertize (format "Find %s:" (cdr view-model-find--wanted)) 'face 'minibuffer-prompt) " "))

;;; Moving

(defun view-model-find--go (move)
  "Go to another row of the results by MOVE, a function."
  (view-model-find--with-results
    (unless (or view-model-find--is-hidden (zerop (view-model-list--count)))
      (ignore-error (beginning-of-buffer end-of-buffer)
        (setq view-model-find--has-moved t
              view-model-find--choice nil)
        (funcall move)))))

(defun view-model-find--follow ()
  "Take note that a command moved point to another line of the results."
  (let ((before (view-model-list--position)))
    (view-model-list--follow)
    (unless (eql before (view-model-list--position))
      (setq view-model-find--has-moved t)
      (view-model-find--ask-preview))))

(defun view-model-find-next (&optional count)
  "Go to the next result, or COUNT results further."
  (interactive "p")
  (view-model-find--go (lambda () (view-model-list-next count))))

(defun view-model-find-previous (&optional count)
  "Go to the result before this one, or COUNT results back."
  (interactive "p")
  (view-model-find--go (lambda () (view-model-list-previous count))))

(defun view-model-find-scroll-up (&optional lines)
  "Show the next results, or scroll by LINES."
  (interactive "P")
  (view-model-find--go (lambda () (view-model-list-scroll-up lines))))

(defun view-model-find-scroll-down (&optional lines)
  "Show the results before these, or scroll back by LINES."
  (interactive "P")
  (view-model-find--go (lambda () (view-model-list-scroll-down lines))))

(defun view-model-find-first ()
  "Go to the best result."
  (interactive)
  (view-model-find--go #'view-model-list-first))

(defun view-model-find-last ()
  "Go to the last result."
  (interactive)
  (view-model-find--go #'view-model-list-last))

;;; Choosing

(defun view-model-find-accept ()
  "Visit the file of this result, at the line where there is one.
Where the results of what was typed aren't here yet, visit the
first one when they are."
  (interactive)
  (view-model-find--with-results
    (view-model-find--accept #'find-file)))

(defun view-model-find-accept-other-window ()
  "Visit the file of this result in another window."
  (interactive)
  (view-model-find--with-results
    (view-model-find--accept #'find-file-other-window)))

(defun view-model-find-mouse-accept (click)
  "Visit the file of the result at CLICK."
  (interactive "e")
  (let ((start (event-start click)))
    (with-current-buffer (window-buffer (posn-window start))
      (when-let ((painted view-model-list--painted) (place (posn-point start)))
        (let ((line (1- (line-number-at-pos place))))
          (when (< line (cdr painted))
            (setq view-model-find--has-moved t)
            (view-model-rows-move-mark view-model-list--rows view-model-list--current (+ (car painted) line))
            (view-model-find--accept #'find-file)))))))

(defun view-model-find--accept (visit)
  "Choose the current row, whose file VISIT visits."
  (setq view-model-find--visit visit)
  (cond ((view-model--problem view-model--view)
         (user-error "Can't visit: %s" (view-model--problem view-model--view)))
        ((or (view-model-find--is-current)
             ;; Where it was moved in what is old by now, there may be no row.
             (and view-model-find--has-moved (not (zerop (view-model-list--count)))))
         (view-model-find--choose))
        (t (setq view-model-find--choice 'waits)
           (view-model--paint-soon view-model--view))))

(defun view-model-find--choose ()
  "Tell the finder that the current row is chosen."
  (let* ((rows view-model-list--rows)
         (index (view-model-list--position))
         (row (view-model-rows-row rows index))
         (identity (view-model-rows-identity rows row)))
    (cond ((zerop (view-model-list--count))
           (setq view-model-find--choice nil)
           (message "Nothing was found"))
          (t (setq view-model-find--choice (or row (list :index index)))
             (view-model-find--send `(:kind "accept" :index ,index ,@(when identity (list :id identity))))))))

(defun view-model-find--decided (buffer)
  "Visit the file that was chosen in BUFFER.
The minibuffer is left first, where that is still for BUFFER."
  (when (buffer-live-p buffer)
    (let ((minibuffer (buffer-local-value 'view-model-find--minibuffer buffer))
          (window (active-minibuffer-window)))
      (cond ((null minibuffer)
             (when-let ((accepted (view-model-find--take-accepted buffer)))
               (with-selected-window (or (get-buffer-window buffer) (selected-window))
                 (apply #'view-model-find--visit-file accepted))))
            ((and window (eq minibuffer (window-buffer window)))
             (select-window window)
             (with-current-buffer minibuffer (exit-minibuffer)))
            ;; The user has begun something else over it.
            (t (view-model-find--take-accepted buffer))))))

(defun view-model-find--take-accepted (buffer)
  "Return (EVENT ROW VISIT) of what was chosen in BUFFER, and forget it."
  (with-current-buffer buffer
    (when-let ((accepted view-model-find--accepted))
      (setq view-model-find--accepted nil)
      (append accepted (list view-model-find--visit)))))

(defun view-model-find--path (event)
  "Return the path of the file in EVENT, which needn't be UTF-8."
  (if-let ((uri (plist-get event :uri)) ((string-prefix-p "file:///" uri)))
      (decode-coding-string (url-unhex-string (substring uri (length "file://")) t)
                            (or file-name-coding-system default-file-name-coding-system 'utf-8))
    (plist-get event :path)))

(defun view-model-find--visit-file (event row visit)
  "Visit the file of EVENT by VISIT, and go to its line where it has one.
ROW says where in that line the match is."
  (let ((path (view-model-find--path event)) (line (plist-get event :line)))
    (unless (file-exists-p path) (user-error "%s isn't on this machine, or is gone" path))
    (xref-push-marker-stack (copy-marker (point-marker)))
    (funcall visit path)
    (when line
      (widen)
      (goto-char (point-min))
      (forward-line (1- line))
      (when-let (((eql line (plist-get row :line)))
                 (match (seq-first (plist-get row :matches)))
                 (text (plist-get row :text)))
        ;; Of a long line, the text is a part.
        (let ((case-fold-search nil))
          (when (search-forward (substring text (view-model-find--character text (plist-get match :start))
                                           (view-model-find--character text (plist-get match :end)))
                                (line-end-position) t)
            (goto-char (match-beginning 0)))))
      (when (eq (window-buffer) (current-buffer)) (recenter)))))

;;; The file of the current result

(defun view-model-find-toggle-preview ()
  "Show the file of the current result, or stop to do so."
  (interactive)
  (view-model-find--with-results
    (if view-model-find--is-previewing
        (view-model-find--leave-preview)
      (setq view-model-find--is-previewing t)
      ;; Another view of the session may have asked for one.
      (when (and (buffer-live-p view-model-find--preview) (not view-model-find--leaves-preview))
        (view-model-find--cover view-model-find--preview))
      (view-model-find--ask-preview))))

(defun view-model-find--ask-preview ()
  "Ask for the current file where it is to be seen and isn't."
  (when (and view-model-find--is-previewing
             (not view-model-find--leaves-preview)
             (not view-model-find--is-hidden)
             (view-model-find--is-current))
    (when-let* ((index (view-model-list--position))
                (row (view-model-rows-row view-model-list--rows index))
                (identity (view-model-rows-identity view-model-list--rows row))
                ((not (equal identity view-model-find--previewed))))
      (setq view-model-find--previewed identity
            view-model-find--asks-preview t)
      (view-model-find--send `(:kind "preview" :index ,index :id ,identity)))))

(defun view-model-find--show-preview (preview)
  "Show PREVIEW, a buffer, where the user wants to see it.
Return t: it takes nothing's place."
  (let ((results (current-buffer)))
    (setq view-model-find--preview preview
          view-model-find--leaves-preview nil)
    (with-current-buffer preview
      (add-hook 'kill-buffer-hook (lambda () (view-model-find--preview-left results)) nil t)))
  (cond (view-model-find--is-previewing (view-model-find--cover preview))
        ;; It isn't wanted any more.
        (view-model-find--asks-preview (view-model-find--close-preview)))
  (setq view-model-find--asks-preview nil)
  t)

(defun view-model-find--cover (preview)
  "Show PREVIEW in the window that the user came from."
  (let ((window view-model-find--window))
    (if (not (and view-model-find--minibuffer (window-live-p window) (not (window-dedicated-p window))))
        (display-buffer preview '((display-buffer-reuse-window display-buffer-pop-up-window
                                                               display-buffer-use-some-window)
                                  (inhibit-same-window . t)))
      (setq view-model-find--covered
            (list window (window-buffer window) (window-start window) (window-point window)))
      (set-window-buffer window preview))
    (with-current-buffer preview (view-model--paint view-model--view))))

(defun view-model-find--close-preview ()
  "Tell the preview to close."
  (when (and (buffer-live-p view-model-find--preview) (not view-model-find--leaves-preview))
    (setq view-model-find--leaves-preview t)
    (with-current-buffer view-model-find--preview (view-model-find--send '(:kind "close")))))

(defun view-model-find--leave-preview ()
  "Show no preview any more.
One that wasn't asked for here stays for the other views of the session."
  (when view-model-find--is-previewing (view-model-find--close-preview))
  (setq view-model-find--is-previewing nil
        view-model-find--previewed nil)
  (pcase view-model-find--covered
    (`(,window ,buffer ,start ,point)
     (setq view-model-find--covered nil)
     (when (and (window-live-p window) (buffer-live-p buffer)
                (eq (window-buffer window) view-model-find--preview))
       (set-window-buffer window buffer)
       (set-window-start window start)
       (set-window-point window point))))
  (when (buffer-live-p view-model-find--preview)
    ;; A window that was made for it goes too.
    (dolist (window (get-buffer-window-list view-model-find--preview nil t)) (quit-restore-window window))))

(defun view-model-find--preview-left (results)
  "Take note that the preview of RESULTS is gone."
  (when (buffer-live-p results)
    (with-current-buffer results
      (setq view-model-find--preview nil
            view-model-find--previewed nil
            view-model-find--covered nil)
      (if view-model-find--leaves-preview
          ;; The user may want to see one again by now.
          (view-model--paint-soon view-model--view)
        (setq view-model-find--is-previewing nil))
      (setq view-model-find--leaves-preview nil))))

(defun view-model-find--scroll-preview (scroll lines)
  "Call SCROLL in the preview, by LINES."
  (view-model-find--with-results
    (unless (buffer-live-p view-model-find--preview) (user-error "No preview is shown"))
    (with-current-buffer view-model-find--preview
      (ignore-error (beginning-of-buffer end-of-buffer) (funcall scroll lines)))))

(defun view-model-find-preview-scroll-up (&optional lines)
  "Show the next lines of the preview, or scroll it by LINES."
  (interactive "P")
  (view-model-find--scroll-preview #'view-model-list-scroll-up lines))

(defun view-model-find-preview-scroll-down (&optional lines)
  "Show the lines of the preview before these, or scroll it back by LINES."
  (interactive "P")
  (view-model-find--scroll-preview #'view-model-list-scroll-down lines))

(provide 'view-model-find-results)

;;; view-model-find-results.el ends here
