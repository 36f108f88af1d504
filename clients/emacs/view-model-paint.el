;;; view-model-paint.el --- What is seen of a view  -*- lexical-binding: t; -*-

;;; Commentary:

;; The text of a buffer is its mode's, which is called when something
;; has come.  The header line, and what stands below the text, are here.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'seq)
(require 'subr-x)
(require 'view-model-view)

;;; Painting

(defvar-local view-model--overlay nil
  "Dims the text where that may be old, and shows the events that wait.")

(defun view-model--paint-soon (view)
  "Paint VIEW when all that came together was taken."
  (unless (view-model--view-paint-timer view)
    (setf (view-model--view-paint-timer view) (run-at-time 0 nil #'view-model--paint view))))

(defun view-model--paint (view)
  "Paint VIEW now."
  (when (timerp (view-model--view-paint-timer view)) (cancel-timer (view-model--view-paint-timer view)))
  (setf (view-model--view-paint-timer view) nil)
  (when (buffer-live-p (view-model--view-buffer view))
    (with-current-buffer (view-model--view-buffer view)
      (view-model--in view 'view-model-paint-function)
      (view-model--decorate view)
      (set-buffer-modified-p nil)
      (when (eq (view-model--view-kind view) 'presented)
        (dolist (window (get-buffer-window-list nil nil t))
          (fit-window-to-buffer window (/ (frame-height) 2) 5)))
      (force-mode-line-update)))
  (dolist (buffer (view-model--list-buffers view))
    (with-current-buffer buffer
      (with-demoted-errors "View model: %S" (funcall view-model-paint-function))
      (view-model--decorate view)
      (set-buffer-modified-p nil)
      (force-mode-line-update))))

(defun view-model--refresh (server)
  "Paint what is shown of SERVER's view models."
  (mapc #'view-model--paint-soon (view-model--all (view-model--server-roots server))))

(defun view-model-replace-text (insert)
  "Empty the buffer and call INSERT to fill it again.
Point stays on its line, in each window."
  (let* ((inhibit-read-only t)
         (line (line-number-at-pos))
         (column (current-column))
         (windows (mapcar (lambda (window)
                            (list window (line-number-at-pos (window-point window))
                                  (line-number-at-pos (window-start window))))
                          (get-buffer-window-list nil nil t))))
    (erase-buffer)
    (funcall insert)
    (cl-flet ((start (line) (goto-char (point-min)) (forward-line (1- line)) (point)))
      (pcase-dolist (`(,window ,line ,top) windows)
        (set-window-start window (start top) t)
        (set-window-point window (start line)))
      (start line)
      (move-to-column column))))

(defun view-model--insert-keys (&rest keys)
  "Insert a line that names KEYS, each (KEY . WHAT IT DOES)."
  (insert (mapconcat (lambda (key) (concat (propertize (car key) 'face 'view-model-key) " " (cdr key)))
                     (view-model--offered keys) "   ")
          "\n"))

;;; The header line

(defun view-model--header ()
  "Return the header line of this buffer."
  (let* ((view view-model--view)
         (server (view-model--view-server view))
         (problem (or (view-model--problem view)
                      (when-let ((failure (view-model--view-failure view))) (concat "the view fails: " failure))
                      (when (view-model--server-is-silent server)
                        (if (stringp (view-model--server-target server))
                            (format "the server doesn't answer, reconnecting...; %s tries now" view-model-reload-key)
                          "the server doesn't answer; waiting for it"))
                      (when (view-model--stall view) "the server can't store anything now")
                      (when (eq (view-model--server-state server) 'waiting)
                        (format "connection lost, reconnecting...; %s tries now" view-model-reload-key))))
         (unsent (append (view-model--counted (length (view-model--waiting view))
                                              "waits to be sent" "wait to be sent")
                         (when-let ((count (view-model--unsent-count
                                            (view-model--view-name (view-model--root view)))))
                           (list (concat count " (C-c C-u)")))))
         (status (or problem
                     (cond ((eq (view-model--server-state server) 'connecting) "connecting...")
                           ((null (view-model--view-session view)) "opening...")
                           ((view-model--hidden view)
                            (format "%s is open over this; g shows it"
                                    (view-model--view-name (view-model--hidden view)))))
                     (funcall view-model-status-function)
                     (when-let ((newest (car (view-model--view-progress view)))) (concat (nth 2 newest) "..."))
                     (when (view-model--view-pending view) "working..."))))
    (string-replace
     "%" "%%"
     (concat " " (propertize (view-model--view-name view) 'face 'view-model-title)
             (mapconcat (lambda (words) (concat "  " (propertize words 'face 'view-model-waiting))) unsent "")
             (when status (concat "  " (if problem (propertize status 'face 'view-model-problem) status)))
             (when (equal "read" (view-model--view-access view)) "  looking only")
             (when (view-model--view-session view)
               (when-let ((here (view-model--view-here view))) (concat "  " here)))
             (unless problem
               (mapconcat (lambda (key) (concat "  " (propertize (car key) 'face 'view-model-key) " " (cdr key)))
                          (seq-filter #'cdr
                                      (append (view-model--offered view-model-keys)
                                              (unless (assoc "q" view-model-keys)
                                                `(("q" . ,(if (and (view-model--view-host view)
                                                                   (not (view-model--looks-only view)))
                                                              "back"
                                                            "bury"))))))
                          ""))))))

;;; Below the text

(defun view-model--decorate (view)
  "Dim the text of VIEW where that may be old, and show the events that wait."
  (move-overlay view-model--overlay (point-min) (point-max))
  (overlay-put view-model--overlay 'face (when (view-model--is-stale view) 'view-model-stale))
  (overlay-put view-model--overlay 'after-string
               (let ((waiting (view-model--waiting view))
                     (stall (view-model--stall view))
                     (kept (view-model--kept-of view)))
                 (when (or waiting stall kept)
                   (concat (unless (or (= (point-min) (point-max)) (eq (char-before (point-max)) ?\n)) "\n")
                           "\n"
                           (when stall (view-model--filled (view-model--stall-words stall)))
                           (when kept (view-model--filled (view-model--kept-words kept)))
                           (when waiting (propertize "Waits to be sent\n" 'face 'view-model-title))
                           (mapconcat #'view-model--waiting-line waiting ""))))))

(defun view-model--kept-words (view)
  "Say what may be left of the session of VIEW, and how to come back to it."
  (concat (when (stringp (view-model--view-kept view)) (concat (view-model--view-kept view) ".\n\n"))
          "The server may have kept its session, with all that is in it, and go on with it later.  "
          (format "%s tries again.  w copies its key, with which M-x view-model-attach comes back to it at any time.  "
                  view-model-reload-key)
          "M-x view-model opens another session."))

(defun view-model--filled (text)
  "Return TEXT as lines that fit into the window of the current buffer."
  (let ((window (get-buffer-window nil t)))
    (with-temp-buffer
      (setq fill-column (if window (1- (window-width window)) 78))
      (insert (propertize text 'face 'view-model-problem) "\n")
      (fill-region (point-min) (point-max))
      (buffer-string))))

(defun view-model--waiting-line (sent)
  "Return a line for SENT, an event that waits."
  (let ((event (view-model--sent-event sent)))
    (concat "  " (propertize (concat (plist-get event :kind) "  " (view-model--event-text event))
                             'face 'view-model-waiting)
            (when (view-model--sent-was-sent sent) "  (sent, and not answered)")
            "\n")))

;;; Values

(defun view-model--event-text (event)
  "Return the members of EVENT but its kind, in one line that isn't too long."
  (let ((members (cl-loop for (key value) on event by #'cddr unless (eq key :kind) collect (cons key value))))
    (truncate-string-to-width
     (if (and (= (length members) 1) (eq (caar members) :value))
         (view-model--value-text (cdar members))
       (mapconcat (lambda (member)
                    (concat (substring (symbol-name (car member)) 1) ": " (view-model--value-text (cdr member))))
                  members ", "))
     1000 nil nil t)))

(defun view-model--value-text (value)
  "Return VALUE, or the beginning of a long one, in one line."
  (cond ((stringp value) (string-replace "\n" "\\n" value))
        ;; That's more than a line has room for, and a list may have thousands.
        ((vectorp value) (json-encode (seq-take value 50)))
        (t (json-encode value))))

(defun view-model--show-in-full (value)
  "Show VALUE as JSON in a window of its own."
  (with-help-window "*view model event*"
    (with-current-buffer standard-output
      (insert (json-encode value))
      (json-pretty-print-buffer))))

(provide 'view-model-paint)

;;; view-model-paint.el ends here
