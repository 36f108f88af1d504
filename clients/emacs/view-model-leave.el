;;; view-model-leave.el --- Leaving a session, a buffer or Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; Who leaves is asked where something isn't answered, and is told how to
;; come back to what goes on.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'seq)
(require 'subr-x)
(require 'view-model-session)

;;; What isn't answered

(defconst view-model--longest-wait 1
  "Seconds for which leaving waits for answers.")

(defun view-model--unanswered (&optional root)
  "Return what the user did and no answer has come to, or not yet.
It is an alist of events by their views; of ROOT and all that
stands on it, where that is given."
  (cl-loop for view in view-model--senders
           unless (or (view-model--view-is-fleeting view) (and root (not (eq root (view-model--root view)))))
           append (cl-loop for sent in (view-model--view-pending view)
                           unless (view-model--sent-is-nobodys sent) collect (cons view sent))))

(defun view-model--on-their-way (&optional root)
  "Return those of `view-model--unanswered' of ROOT that nobody knows to wait."
  (cl-remove-if (lambda (pair) (memq (cdr pair) (view-model--waiting (car pair)))) (view-model--unanswered root)))

(defun view-model--await (&optional root)
  "Wait for the answers to what is on its way of ROOT.
Return what isn't answered then; that isn't waited for again."
  (with-timeout (view-model--longest-wait)
    (while (cl-some (lambda (pair) (not (view-model--sent-is-late (cdr pair)))) (view-model--on-their-way root))
      (accept-process-output nil view-model--longest-wait)))
  (let ((late (view-model--on-their-way root)))
    (dolist (pair late) (setf (view-model--sent-is-late (cdr pair)) t))
    late))

(defun view-model--whole-text (label event)
  "Return all of EVENT of the view that LABEL names, in one line."
  (concat label ": " (plist-get event :kind)
          (cl-loop for (key value) on event by #'cddr
                   unless (eq key :kind)
                   concat (format "  %s: %s" (substring (symbol-name key) 1) (json-encode value)))))

(defun view-model--late-question (late)
  "Return the words that LATE, an alist, isn't answered yet.
A question has no room for a long text."
  (concat (truncate-string-to-width
           (mapconcat (lambda (pair)
                        (view-model--whole-text (view-model--label-of (car pair)) (view-model--sent-event (cdr pair))))
                      late ", ")
           400 nil nil t)
          (if (cdr late) " aren't answered yet" " isn't answered yet")))

;;; Leaving a buffer

(defvar view-model--left nil
  "The sessions that were left and go on, newest first, as (KEY . NAME).")

(defun view-model--may-kill ()
  "Return whether this buffer may be killed now.
Where its view model has to be asked, the answer decides; and
where something isn't answered yet, the user."
  (let ((view view-model--view))
    (cond ((or (null view) (view-model--view-is-removed view)))
          ((null (view-model--view-host view)) (view-model--may-leave view))
          ((null (view-model--view-session view)))
          (t (view-model--may-act view)
             (view-model--go-back view)
             nil))))

(defun view-model--may-leave (root)
  "Return whether ROOT may be left, though not everything is answered."
  (let ((late (view-model--await root)))
    (or (null late)
        (if noninteractive
            (progn (message "%s" (view-model--late-question late)) t)
          (yes-or-no-p (concat (view-model--late-question late) "; kill the buffer anyway? "))))))

(defun view-model--kill-lists ()
  "Kill the buffers of the lists of this buffer's view model."
  (when view-model--view (mapc #'kill-buffer (view-model--list-buffers view-model--view))))

(defun view-model--killed ()
  "Leave the session that this buffer showed."
  (when-let ((view view-model--view) ((not (view-model--view-is-removed view))))
    (let* ((server (view-model--view-server view))
           (sessions (delq nil (mapcar #'view-model--view-session (view-model--all (list view))))))
      (setf (view-model--view-is-left view) t)
      ;; Before it is said what wasn't sent, which matters more.
      (view-model--say-left view)
      (view-model--unlink view)
      (dolist (session sessions)
        (view-model--request server 'session/detach (list :session session) #'ignore #'ignore))
      (view-model--disconnect-if-unused server))))

(defun view-model--scope (view)
  "Return the scope of the view model of VIEW, nil for none."
  (cdr (assoc (view-model--view-name view) (view-model--server-scopes (view-model--view-server view)))))

(defun view-model--way-back (view)
  "Return in words the command to come back to the session of VIEW.
Where its view model has a scope, an open finds the session, and
nobody has to keep a key; but with which arguments another client
has opened it isn't known here."
  (if (and (view-model--view-asked view) (view-model--scope view))
      (let ((arguments (view-model--view-arguments view)))
        ;; C-u asks for all arguments, also for those that may be left out.
        (concat (when arguments "C-u ") "M-x view-model RET " (view-model--view-name view)
                (when arguments (concat ", with " (json-encode arguments)))))
    (concat "M-x view-model-attach RET " (view-model--view-key view))))

(defun view-model--say-left (view)
  "Say how to find the session of VIEW again, which the user has left.
A server that was started here ends with its last view, and keeps
what its store has."
  (let* ((server (view-model--view-server view))
         (name (view-model--view-name view))
         (key (view-model--view-key view))
         (kept (view-model--view-kept view))
         (goes-on (and (not kept)
                       (or (stringp (view-model--server-target server))
                           (remq view (view-model--server-roots server))))))
    (when (and key (or kept (not (view-model--view-reason view))) (not (view-model--view-host view))
               (not (view-model--view-is-fleeting view))
               (or kept goes-on (view-model--server-is-durable server)))
      (setq view-model--left (cons (cons key name) (seq-take (assoc-delete-all key view-model--left) 99)))
      (message "%s %s: %s" name (if goes-on "goes on" "is kept if durable") (view-model--way-back view)))))

;;; Leaving Emacs

(defun view-model--may-exit ()
  "Return whether Emacs may end, though not everything was sent, or is answered."
  (let ((late (view-model--await)))
    (and (or (null late) (yes-or-no-p (concat (view-model--late-question late) "; exit anyway? ")))
         (view-model--may-exit-unsent))))

(defun view-model--may-exit-unsent ()
  "Return whether Emacs may end, though not everything was sent."
  (let ((count (+ (length view-model--unsent)
                  (cl-loop for server in view-model--servers
                           sum (cl-loop for view in (view-model--all (view-model--server-roots server))
                                        sum (length (view-model--waiting view)))))))
    (or (zerop count)
        (yes-or-no-p (concat (car (view-model--counted count "for a view model wasn't sent"
                                                       "for view models weren't sent"))
                             "; exit anyway? ")))))

(add-hook 'kill-emacs-query-functions #'view-model--may-exit)

(defun view-model--kept-lines ()
  "Return lines that say how to find again what is kept in a store."
  (cl-loop for server in view-model--servers
           when (view-model--server-is-durable server)
           append (cl-loop for view in (view-model--server-roots server)
                           unless (or (null (view-model--view-key view))
                                      (and (view-model--view-reason view) (not (view-model--view-kept view)))
                                      (view-model--view-is-fleeting view))
                           collect (format "%s is kept if durable: %s"
                                           (view-model--view-name view) (view-model--way-back view)))))

(defun view-model--undone-lines ()
  "Return lines that say what wasn't sent, or wasn't answered."
  (cl-flet ((line (label event was-sent)
              (concat (if was-sent
                          "This wasn't answered, and may not have been done: "
                        "This wasn't sent, and isn't done: ")
                      (view-model--whole-text label event))))
    (append
     (cl-loop for (view . sent) in (view-model--unanswered)
              collect (line (view-model--label-of view) (view-model--sent-event sent)
                            (view-model--sent-was-sent sent)))
     (cl-loop for unsent in view-model--unsent
              collect (line (view-model--unsent-label unsent) (view-model--unsent-event unsent)
                            (view-model--unsent-was-sent unsent))))))

(defun view-model--say-last ()
  "Say on the terminal what is kept, and what isn't done.
It is still read there when Emacs has ended."
  (view-model--await)
  (when-let ((lines (append (view-model--kept-lines) (view-model--undone-lines)))
             (text (mapconcat (lambda (line) (concat line "\r\n")) lines "")))
    (if (and (not noninteractive) (eq t (framep (selected-frame))))
        ;; To the screen of before, and back to Emacs's, which it leaves again itself.
        (send-string-to-terminal (concat "\e[?1049l" text "\e[?1049h"))
      (princ text #'external-debugging-output))))

(add-hook 'kill-emacs-hook #'view-model--say-last)

(provide 'view-model-leave)

;;; view-model-leave.el ends here
