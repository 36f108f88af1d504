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
(require 'view-model-find-results)

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

(defvar view-model-find-history nil
  "What was searched.")

;;; Keys, and the mode of the results

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
        view-model-found-function #'view-model-find--found-again
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

;;; Sessions

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

;;; Commands

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

(provide 'view-model-find)

;;; view-model-find.el ends here
