;;; view-model-find.el --- Find files and lines by a hosted finder  -*- lexical-binding: t; -*-

;;; Commentary:

;; `M-x view-model-find' reads in the minibuffer what is searched,
;; and shows what the finder of the examples has found in a window at
;; the bottom, as many rows as that has room for.  `RET' visits the
;; file.
;;
;; Nothing is searched here.  What is typed is sent with each key, and
;; never waits for the server.  The session is kept in its buffer when
;; the minibuffer is left, so it has all files the next time.
;;
;; That buffer is a view as any other, and can be shown by
;; `M-x view-model' and `M-x view-model-attach' too.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'url-util)
(require 'view-model-list)
(require 'xref)

;;; Options

(defcustom view-model-find-arguments nil
  "The arguments of the finder: a property list, or a function that returns one.
`:root' is a folder below the one that the server was started in,
`:hidden' is t to find files whose names begin with a dot, and
`:ignore' is :json-false to find those that git ignores."
  :group 'view-model
  :type '(choice plist function))

(defcustom view-model-find-height 12
  "How many results are shown, where half of the frame has room for them."
  :group 'view-model
  :type 'natnum)

(defcustom view-model-find-escape-delay 0.1
  "Seconds after which ESC in a terminal is that key.
Until then, it may be the beginning of another.  With nil it always
is that, and ESC ESC ESC leaves the minibuffer as it does elsewhere."
  :group 'view-model
  :type '(choice number (const :tag "Never" nil)))

(defface view-model-find-match '((t :inherit (bold completions-common-part)))
  "What matches, in a result of a finder."
  :group 'view-model)

(defface view-model-find-file '((t :inherit font-lock-function-name-face))
  "The file that a line was found in."
  :group 'view-model)

(defface view-model-find-line-number '((t :inherit shadow))
  "The number of a line that was found."
  :group 'view-model)

(defconst view-model-find--modes '("files" "text" "regex")
  "What can be searched.")

(defconst view-model-find--patience 0.3
  "Seconds after which results of what was typed before are dimmed.")

(defvar view-model-find-history nil
  "What was searched.")

;;; What is known

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

;;; The view

(defvar view-model-find--keys
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'view-model-find-accept)
    (define-key map (kbd "M-RET") #'view-model-find-accept-other-window)
    (define-key map (kbd "TAB") #'view-model-find-toggle-preview)
    (define-key map (kbd "C-t") #'view-model-find-switch)
    (define-key map (kbd "C-c C-r") #'view-model-find-reload)
    (define-key map [next] #'view-model-find-scroll-up)
    (define-key map [prior] #'view-model-find-scroll-down)
    (pcase-dolist (`(,usual . ,own)
                   '((next-line . view-model-find-next)
                     (previous-line . view-model-find-previous)
                     (next-line-or-history-element . view-model-find-next)
                     (previous-line-or-history-element . view-model-find-previous)
                     (scroll-up-command . view-model-find-scroll-up)
                     (scroll-down-command . view-model-find-scroll-down)
                     (beginning-of-buffer . view-model-find-first)
                     (minibuffer-beginning-of-buffer . view-model-find-first)
                     (end-of-buffer . view-model-find-last)
                     (scroll-other-window . view-model-find-preview-scroll-up)
                     (scroll-other-window-down . view-model-find-preview-scroll-down)))
      (define-key map (vector 'remap usual) own))
    map)
  "Keys that do the same in the minibuffer and in the results.")

(defvar view-model-find-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap view-model-find--keys minibuffer-local-map))
    (define-key map [escape] #'abort-recursive-edit)
    map)
  "Keys in the minibuffer while files or lines are found.")

(defvar view-model-find-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap view-model-find--keys view-model-mode-map))
    (define-key map (kbd "n") #'view-model-find-next)
    (define-key map (kbd "p") #'view-model-find-previous)
    (define-key map (kbd "s") #'view-model-find-resume)
    (define-key map [down-mouse-1] #'ignore)
    (define-key map [mouse-1] #'view-model-find-mouse-accept)
    map)
  "Keys in the results of a finder.")

(define-derived-mode view-model-find-mode view-model-mode "Find"
  "Show what a finder has found.
`view-model-find' reads in the minibuffer what that is."
  (setq view-model-event-function #'view-model-find--take
        view-model-reset-function #'view-model-find--reset
        view-model-paint-function #'view-model-find--paint
        view-model-opened-function #'view-model-find--opened
        view-model-reload-function (lambda () (view-model-find--send '(:kind "refresh")))
        view-model-status-function #'view-model-find--status
        view-model-show-function #'view-model-find--show-preview
        view-model-is-fleeting t
        view-model-reload-key "C-c C-r"
        view-model-list-line-function #'view-model-find--line
        view-model-list-empty-text "")
  (setq-local cursor-in-non-selected-windows nil)
  (view-model-list--set-up)
  (add-hook 'post-command-hook #'view-model-find--follow nil t))

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

(defun view-model-find--character (text byte)
  "Return the index of the character of TEXT that has BYTE of its UTF-8."
  (if (= (string-bytes text) (length text))
      (min byte (length text))
    (cl-loop with passed = 0
             for index below (length text)
             while (< passed byte)
             do (cl-incf passed (string-bytes (char-to-string (aref text index))))
             finally return index)))

(defun view-model-find--marked (text matches &optional face)
  "Return TEXT with a face where one of MATCHES is, and FACE all over.
Characters that would end the line are replaced."
  (let ((marked (propertize (subst-char-in-string ?\r ?\s (subst-char-in-string ?\n ?\s text)))))
    (when face (add-face-text-property 0 (length marked) face nil marked))
    (seq-doseq (match matches)
      (let ((start (view-model-find--character text (plist-get match :start)))
            (end (view-model-find--character text (plist-get match :end))))
        (when (< start end) (add-face-text-property start end 'view-model-find-match nil marked))))
    marked))

(defun view-model-find--end (text width)
  "Return TEXT, or the end of it that fits into WIDTH columns."
  (if (<= (string-width text) width)
      text
    (let ((start (max 0 (- (length text) (max 1 (1- width))))))
      (while (and (< start (length text)) (>= (string-width text start) width)) (cl-incf start))
      (concat "…" (substring text start)))))

(defun view-model-find--excerpt (text width)
  "Return TEXT, or a part of it where the first match is beyond WIDTH columns."
  (let* ((match (text-property-not-all 0 (length text) 'face nil text))
         (end (and match (next-single-property-change match 'face text (length text)))))
    (if (or (null match) (<= (string-width text 0 end) width))
        text
      (concat "…" (substring text (max 0 (min match (- end (/ (* 2 width) 3)))))))))

(defun view-model-find--width ()
  "Return how many columns a result has."
  (if-let ((windows (get-buffer-window-list nil nil t)))
      ;; A terminal has no fringe, and says in the last column that a line goes on.
      (max 20 (1- (apply #'min (mapcar #'window-body-width windows))))
    80))

(defun view-model-find--line (rows index _)
  "Return the line of the result of ROWS at INDEX."
  (if-let ((row (view-model-rows-row rows index)))
      (let ((path (plist-get row :path)) (number (plist-get row :line)) (text (plist-get row :text))
            (matches (plist-get row :matches)) (width (view-model-find--width)))
        (if (null text)
            (view-model-find--end (view-model-find--marked path matches) width)
          (let ((place (concat (view-model-find--end (view-model-find--marked path nil 'view-model-find-file)
                                                     (/ width 2))
                               ":" (propertize (format "%s" number) 'face 'view-model-find-line-number) ":")))
            (concat place (view-model-find--excerpt (view-model-find--marked text matches)
                                                    (max 10 (- width (string-width place))))))))
    (propertize "..." 'face 'shadow)))

(defun view-model-find--counted (count one many)
  "Return COUNT in words, as so much of ONE or MANY."
  (let ((digits (number-to-string (or count 0))))
    (while (string-match "[0-9]\\([0-9]\\{3\\}\\)\\(?:,\\|\\'\\)" digits)
      (setq digits (concat (substring digits 0 (match-beginning 1)) "," (substring digits (match-beginning 1)))))
    (concat digits " " (if (eql count 1) one many))))

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

(defun view-model-find--next-mode ()
  "Return what is searched after `view-model-find-switch'."
  (or (cadr (member (cdr view-model-find--wanted) view-model-find--modes)) (car view-model-find--modes)))

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

;;; The minibuffer

(defun view-model-find--type ()
  "Search what was typed, after a command in the minibuffer."
  (let ((text (minibuffer-contents-no-properties)))
    (when (buffer-live-p view-model-find--results)
      (view-model-find--with-results
        (unless (equal text (car view-model-find--wanted))
          (view-model-find--search (cons text (cdr view-model-find--wanted))))))))

(defun view-model-find--show-results ()
  "Show this buffer at the bottom of the frame."
  (let ((height (1+ (max 1 (min view-model-find-height (1- (/ (frame-height) 2)))))))
    (display-buffer (current-buffer)
                    `((display-buffer-reuse-window display-buffer-at-bottom)
                      (window-height . ,height)
                      (dedicated . t)
                      (window-parameters . ((mode-line-format . none)))))))

(defun view-model-find--begin (results mode window)
  "Let this minibuffer, which was entered from WINDOW, be for MODE in RESULTS."
  (let ((minibuffer (current-buffer)))
    (setq view-model-find--results results)
    (add-hook 'post-command-hook #'view-model-find--type nil t)
    (with-current-buffer results
      (setq view-model-find--minibuffer minibuffer
            view-model-find--window window
            view-model-find--accepted nil)
      (let* ((text (with-current-buffer minibuffer (minibuffer-contents-no-properties)))
             (wanted (cons text mode)))
        (setq view-model-find--is-hidden (not (and (view-model-find--is-current)
                                                   (equal wanted view-model-find--wanted))))
        (view-model-find--show-results)
        (view-model-find--search wanted)
        (view-model-find--show-prompt)))))

(defun view-model-find--end-reading (results)
  "Return what was chosen of RESULTS, whose minibuffer was left."
  (when (buffer-live-p results)
    (with-current-buffer results
      (let ((view view-model--view))
        (view-model-find--leave-preview)
        (view-model-find--is-no-longer-late)
        (setq view-model-find--minibuffer nil
              view-model-find--window nil
              view-model-find--choice nil)
        ;; So that all files are here the next time.  Others who look at the session keep what they see.
        (unless (or (view-model--view-is-shared view) (view-model--problem view))
          (view-model-find--search (cons "" (cdr view-model-find--wanted))))
        (view-model-find--show-prompt))
      (view-model-find--take-accepted results))))

(defun view-model-find--escape (map)
  "Return the escape key where nothing follows ESC in a terminal, or MAP."
  (if (and (buffer-live-p (buffer-local-value 'view-model-find--results (window-buffer)))
           (equal (this-single-command-keys) [?\e])
           (numberp view-model-find-escape-delay)
           (sit-for view-model-find-escape-delay t))
      [escape]
    map))

(defun view-model-find--call-with-escape (function)
  "Call FUNCTION, and let ESC be a key meanwhile."
  (let* ((frame (selected-frame))
         (map (lookup-key input-decode-map [?\e])))
    (if (or (display-graphic-p) (not (keymapp map)))
        (funcall function)
      (define-key input-decode-map [?\e] `(menu-item "" ,map :filter view-model-find--escape))
      (unwind-protect (funcall function)
        (when (frame-live-p frame)
          (with-selected-frame frame (define-key input-decode-map [?\e] map)))))))

(defun view-model-find--read (results mode)
  "Read what is to be found in MODE, and visit what is chosen of RESULTS."
  (when (buffer-local-value 'view-model-find--minibuffer results) (user-error "The finder is in use"))
  (let* ((window (or (minibuffer-selected-window) (selected-window)))
         (prompt (format "Find %s: " mode))
         (default (with-current-buffer (window-buffer window) (thing-at-point 'symbol t)))
         (view (buffer-local-value 'view-model--view results))
         ;; Others who look at the session see what is typed, and what they type is here.
         (text (if (view-model--view-is-shared view) (car (buffer-local-value 'view-model-find--query results)) ""))
         accepted)
    (unwind-protect
        (let ((enable-recursive-minibuffers t)
              ;; Thus all windows are as they were when it is left.
              (read-minibuffer-restore-windows t))
          (minibuffer-with-setup-hook (:append (lambda ()
                                               ;; M-n inserts it.  As an argument, it would count as what was typed.
                                               (setq minibuffer-default default)
                                               (view-model-find--begin results mode window)))
            (view-model-find--call-with-escape
             (lambda ()
               (read-from-minibuffer prompt text view-model-find-map nil 'view-model-find-history nil t)))))
      (setq accepted (view-model-find--end-reading results)))
    (when accepted (apply #'view-model-find--visit-file accepted))))

(defun view-model-find--session (arguments)
  "Return the buffer of a finder with ARGUMENTS.
It is the one that was left last time, where there is one."
  (or (view-model-find--kept-session arguments)
      (let ((server (view-model--ready-server)))
        (unless (member "finder" (view-model--server-names server))
          (view-model--disconnect-if-unused server)
          (user-error "This server has no finder"))
        (let ((view (view-model--make-view :server server :name "finder" :arguments arguments)))
          (unless (eq 'view-model-find-mode (view-model--mode view))
            (view-model--disconnect-if-unused server)
            (user-error "The finder of this server is another one; M-x view-model shows it"))
          (setf (view-model--server-roots server) (append (view-model--server-roots server) (list view)))
          (let ((buffer (view-model--make-buffer view)))
            (view-model--open view)
            buffer)))))

(defun view-model-find--kept-session (arguments)
  "Return the buffer of the finder with ARGUMENTS that is open, or nil.
One that has ended is opened again, and a lost connection is made
again now."
  (when-let* ((target (or view-model-address view-model-command))
              (server (cl-find target view-model--servers :key #'view-model--server-target :test #'equal))
              (view (cl-find-if (lambda (view)
                                  (and (equal "finder" (view-model--view-name view))
                                       (not (view-model--view-is-shared view))
                                       (equal arguments (view-model--view-arguments view))
                                       (buffer-live-p (view-model--view-buffer view))
                                       (eq 'view-model-find-mode (buffer-local-value
                                                                  'major-mode (view-model--view-buffer view)))))
                                (view-model--server-roots server))))
    (with-current-buffer (view-model--view-buffer view)
      (when (or (view-model--problem view) (eq 'waiting (view-model--server-state server)))
        (view-model-reload))
      (current-buffer))))

(defun view-model-find--read-arguments (asks)
  "Return the arguments of a finder: the user is asked if ASKS."
  (cond (asks (let ((server (view-model--ready-server)) (is-read nil))
                (unwind-protect
                    (prog1 (view-model--read-arguments server "finder" t) (setq is-read t))
                  (unless is-read (view-model--disconnect-if-unused server)))))
        ((functionp view-model-find-arguments) (funcall view-model-find-arguments))
        (t view-model-find-arguments)))

;;;###autoload
(defun view-model-find (&optional arguments mode)
  "Find a file below the server's folder by a part of its path, and visit it.
What is typed goes by fzf's rules: all words must match, in any
order; !word mustn't; ^ and $ are the path's beginning and end;
and \\='word matches as it stands.  Case matters where there is a
capital.

\\<view-model-find-map>\\[view-model-find-accept] visits the current \
result, and \\[view-model-find-accept-other-window] does in another window.
\\[view-model-find-next] and \\[view-model-find-previous] go to others, \
\\[view-model-find-scroll-up] and \\[view-model-find-scroll-down] by a window.
\\[view-model-find-switch] searches text in the files, and then a regular expression.
\\[view-model-find-toggle-preview] shows the file in this window, and \
\\[view-model-find-preview-scroll-up] scrolls that.
\\[abort-minibuffers] or ESC leaves, and all is as it was.

ARGUMENTS are those of the finder.  Interactively they are
`view-model-find-arguments'; with a prefix argument, they are
asked for.  MODE is \"files\", \"text\" or \"regex\"."
  (interactive (list (view-model-find--read-arguments current-prefix-arg)))
  (view-model-find--read (view-model-find--session arguments) (or mode "files")))

;;;###autoload
(defun view-model-find-text (&optional arguments)
  "Find lines with a text in the files below the server's folder, and visit one.
The keys are those of `view-model-find', as are ARGUMENTS."
  (interactive (list (view-model-find--read-arguments current-prefix-arg)))
  (view-model-find arguments "text"))

(defun view-model-find-resume ()
  "Search in the session of this buffer."
  (interactive nil view-model-find-mode)
  (view-model-find--read (current-buffer) (cdr view-model-find--wanted)))

;;; The preview

(defun view-model-find-toggle-preview ()
  "Show the file of the current result, or stop to do so."
  (interactive)
  (view-model-find--with-results
    (if view-model-find--is-previewing
        (view-model-find--leave-preview)
      (setq view-model-find--is-previewing t)
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
  "Show no preview any more."
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
    (dolist (window (get-buffer-window-list view-model-find--preview nil t)) (quit-restore-window window)))
  (view-model-find--close-preview))

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

(defvar-local view-model-find-preview--file nil
  "The last event that told which file this is.")

(defvar-local view-model-find-preview--note nil
  "What there is to say beside the lines.")

(defvar-local view-model-find-preview--is-placed nil
  "Whether the line that was found is in the middle of the window, or was.")

(defvar view-model-find-preview-mode-map (view-model-list--make-map)
  "Keys in the preview of a file.")

(define-derived-mode view-model-find-preview-mode view-model-mode "Preview"
  "Show the lines of a file that a finder has found."
  (setq view-model-event-function #'view-model-find-preview--take
        view-model-reset-function #'view-model-find-preview--reset
        view-model-paint-function #'view-model-find-preview--paint
        view-model-status-function #'view-model-find-preview--status
        view-model-is-fleeting t
        view-model-list-line-function #'view-model-find-preview--line
        view-model-list-empty-text ""
        view-model-keys '(("C-M-v" . "scroll") ("q")))
  (setq-local cursor-in-non-selected-windows nil
              mode-line-position '(:eval (view-model-list--place)))
  (view-model-list--set-up)
  (add-hook 'post-command-hook #'view-model-list--follow nil t))

(defun view-model-find-preview--reset ()
  "Forget the file."
  (unless view-model-list--rows (view-model-list--begin (view-model-list "lines")))
  (setq view-model-find-preview--file nil
        view-model-find-preview--note nil
        view-model-find-preview--is-placed nil))

(defun view-model-find-preview--take (event)
  "Remember EVENT."
  (pcase (plist-get event :kind)
    ("file" (unless (equal event view-model-find-preview--file)
              (setq view-model-find-preview--file event
                    view-model-find-preview--is-placed nil)))
    ("note" (setq view-model-find-preview--note (plist-get event :message)))))

(defun view-model-find-preview--status ()
  "Say which file this is."
  (let ((path (plist-get view-model-find-preview--file :path)) (line (plist-get view-model-find-preview--file :line))
        (note (or view-model-find-preview--note (view-model-rows-problem view-model-list--rows))))
    (concat path (when line (format ":%d" line))
            (when note (propertize (concat "  " note) 'face 'shadow)))))

(defun view-model-find-preview--line (rows index width)
  "Return the line of ROWS at INDEX, after its number in WIDTH columns."
  (concat (propertize (string-pad (number-to-string (1+ index)) width nil t) 'face 'view-model-find-line-number) "  "
          (if-let ((row (view-model-rows-row rows index)))
              (view-model-find--marked (plist-get row :text) nil)
            (propertize "..." 'face 'shadow))))

(defun view-model-find-preview--paint ()
  "Show the lines around the one that was found.
They are counted while they are shown, so it may come later."
  (let ((line (plist-get view-model-find-preview--file :line)) (count (view-model-list--count))
        (height (view-model-list--height)))
    (when (and height view-model-find-preview--file (not view-model-find-preview--is-placed) (>= count (or line 1)))
      (let ((index (1- (or line 1))))
        (view-model-rows-move-mark view-model-list--rows view-model-list--top (max 0 (- index (/ height 2))))
        (view-model-rows-move-mark view-model-list--rows view-model-list--current index)
        (setq view-model-find-preview--is-placed t)))
    (hl-line-mode (if (and line (> count 0)) 1 -1))
    (view-model-list--paint)))

(provide 'view-model-find)

;;; view-model-find.el ends here
