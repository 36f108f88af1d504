;;; view-model.el --- Views of hosted view models  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (jsonrpc "1.0.14"))
;; Keywords: comm, tools

;;; Commentary:

;; A server hosts view models, and this package shows them.
;; `M-x view-model' asks for one of those that the server has and
;; opens it in a buffer.  Nothing is decided here: what the user does
;; goes to the view model, and what the view model says is shown, with
;; the children that it pushes onto the screen and the questions that
;; it presents.
;;
;; `view-model-address' names a server that runs; without one,
;; `view-model-command' is started.  A connection that is lost is made
;; again, and goes on where it was.
;;
;; The orders of the examples have modes of their own, which are in
;; view-model-orders.el.  Any other view model is shown by
;; `view-model-generic-mode'.  A mode of your own derives from
;; `view-model-mode', sets the functions that are named there, calls
;; `view-model-send', and is entered in `view-model-modes'.
;;
;; A list of a view model may have any number of rows, and
;; `view-model-show-list' shows them.  `M-x view-model-find' finds files
;; and lines by the finder of the examples.
;;
;; The commands are in this file.  Each part needs only parts that stand
;; above it here:
;;
;;   view-model-options      user options and faces
;;   view-model-watch        a server that says nothing is noticed
;;   view-model-rows         lists of any length, row by row
;;   view-model-connection   the connection, and its coming back
;;   view-model-view         what is known of a view, and its mode's variables
;;   view-model-paint        what is seen of it
;;   view-model-unsent       events that no session took
;;   view-model-outbox       events on their way: numbers, sending again
;;   view-model-screen       buffers and windows
;;   view-model-session      sessions, what stands on them, their lists
;;   view-model-leave        leaving a session, a buffer or Emacs
;;   view-model-prompt       asking for events and arguments
;;   view-model              commands, and the mode of all views
;;   view-model-generic, view-model-list, view-model-orders,
;;   view-model-find         modes for view models, lists and finders

;;; Code:

(require 'seq)
(require 'view-model-kept)
(require 'view-model-leave)
(require 'view-model-prompt)

(autoload 'view-model-show-list "view-model-list" nil t)
(autoload 'view-model-generic-mode "view-model-generic")
(autoload 'view-model-orders-mode "view-model-orders")
(autoload 'view-model-order-details-mode "view-model-orders")
(autoload 'view-model-confirm-mode "view-model-orders")
(autoload 'view-model-find-mode "view-model-find")
(autoload 'view-model-find-preview-mode "view-model-find-preview")

;;; Commands

(defun view-model--ready-server ()
  "Return the server that the user set, connected."
  (let ((server (view-model--server-for (or view-model-address view-model-command) #'view-model--hear))
        (is-ready nil))
    (unless (memq (view-model--server-state server) '(connecting ready))
      (view-model--connect server))
    (unwind-protect
        (progn
          (view-model--wait server "connection" (lambda () (eq (view-model--server-state server) 'ready)))
          (setq is-ready t))
      (unless is-ready (view-model--disconnect-if-unused server)))
    server))

(defvar view-model-history nil
  "The view models that were opened.")

;;;###autoload
(defun view-model (name &optional arguments)
  "Open the view model NAME of the server in a buffer.
ARGUMENTS is a property list.  Interactively ask which; with a
prefix argument, ask for all its arguments too, and otherwise for
those that it needs.  The sessions that one may come back to are
offered first, from whichever program they are: of those, NAME is
what the server says, a property list with a key.

A view model with a scope has one session for equal arguments, a
person's own or everyone's.  It is shown as it is now, and made
where there is none."
  (interactive
   (let ((server (view-model--ready-server)) chosen)
     (unwind-protect
         (let* ((kept (view-model--kept-choices server))
                (choices (append (mapcar #'car kept) (view-model--server-names server)))
                (choice (completing-read "View model: " (view-model--in-order choices) nil t nil
                                         'view-model-history))
                (session (cdr (assoc choice kept))))
           (setq chosen (if session (list session)
                          (list choice (view-model--read-arguments server choice current-prefix-arg)))))
       (unless chosen (view-model--disconnect-if-unused server)))))
  (if (listp name) (view-model-attach (plist-get name :key)) (view-model--open-new name arguments)))

(defun view-model--in-order (choices)
  "Return CHOICES for completion, in their order."
  (lambda (text predicate action)
    (if (eq action 'metadata) '(metadata (display-sort-function . identity))
      (complete-with-action action choices text predicate))))

(defun view-model--open-new (name arguments)
  "Open the view model NAME with ARGUMENTS in a buffer."
  (let* ((server (view-model--ready-server))
         (view (view-model--make-view :server server :name name :arguments arguments)))
    (setf (view-model--server-roots server) (append (view-model--server-roots server) (list view)))
    (pop-to-buffer-same-window (view-model--make-buffer view))
    (view-model--open view)))

;;;###autoload
(defun view-model-attach (key)
  "Show the session that has KEY.
Another client opened it, or it was left here."
  (interactive
   (list (let ((completion-extra-properties
                (list :annotation-function
                      (lambda (key) (concat "  " (cdr (assoc key view-model--left)))))))
           (completing-read "Key of the session: " (mapcar #'car view-model--left)))))
  (let* ((server (view-model--ready-server))
         (view (view-model--make-view :server server :key key :is-shared t))
         (is-done nil))
    (setf (view-model--server-roots server) (append (view-model--server-roots server) (list view)))
    (unwind-protect
        (progn
          (view-model--attach view)
          (view-model--wait server "session"
                            (lambda () (or (view-model--view-buffer view) (view-model--view-reason view))))
          (when (view-model--view-reason view)
            ;; There is no buffer to say below its text what the server says.
            (user-error "%s" (or (view-model--view-kept view) (view-model--view-reason view))))
          (setq is-done t))
      (unless is-done
        (view-model--unlink view)
        (view-model--disconnect-if-unused server)))
    (pop-to-buffer-same-window (view-model--view-buffer (view-model--top view)))))

(defun view-model-send-event ()
  "Ask for an event that the view model of this buffer takes, and send it."
  (interactive nil view-model-mode)
  (view-model--send-answer
   (lambda ()
     (let* ((view view-model--view)
            (description (view-model--describe (view-model--view-server view) (view-model--view-name view))))
       (view-model--read-event (plist-get description :viewEvent) (plist-get description :$defs)
                               (lambda (kind)
                                 (when-let ((unsent (view-model--find-unsent view kind)))
                                   (view-model--unsent-event unsent))))))))

(defun view-model-interrupt ()
  "Cancel the events of this buffer that its view model hasn't handled."
  (interactive nil view-model-mode)
  (let* ((view (view-model--of-buffer))
         (sent (seq-filter #'view-model--sent-id (view-model--view-pending view))))
    (unless sent (user-error "Nothing to cancel"))
    (unless (view-model--view-session view) (user-error "Can't cancel: not connected"))
    (dolist (one sent)
      (setf (view-model--sent-is-nobodys one) t)
      (view-model--notify (view-model--view-server view) '$/cancelRequest (list :id (view-model--sent-id one))))))

(defun view-model-back ()
  "Go back to the view below; in the first one, bury its buffer.
The view model may refuse, and its reason is shown in the echo area.
Where you may only look at the session, bury the buffer."
  (interactive nil view-model-mode)
  (let ((view (view-model--of-buffer)))
    (cond ((or (null (view-model--view-host view)) (view-model--looks-only view)) (quit-window))
          ((view-model--view-reason view) (view-model--remove view))
          (t (view-model--go-back view)))))

(defun view-model-reload (&rest _)
  "Bring this buffer up to date.
Where the connection is lost, try to make it again; where the
session or the server has ended, start another.  A session that may
be kept is asked for once more before."
  (interactive nil view-model-mode)
  (let* ((view (view-model--of-buffer))
         (root (view-model--root view))
         (server (view-model--view-server view)))
    (cond ((memq (view-model--server-state server) '(ended waiting))
           (unless (memq server view-model--servers) (push server view-model--servers))
           ;; A session that has ended is opened again.
           (dolist (root (view-model--server-roots server))
             (cond ((view-model--view-kept root) (setf (view-model--view-reason root) nil))
                   ((view-model--view-reason root) (view-model--forget root))))
           (view-model--connect server))
          ((view-model--kept-of view)
           (when (eq (view-model--server-state server) 'ready) (view-model--try-again (view-model--kept-of view))))
          ((view-model--view-reason root)
           (when (eq (view-model--server-state server) 'ready)
             (if (view-model--view-is-replaced root) (view-model--show-here-again root) (view-model--open root))))
          ((view-model--hidden view) (view-model--show (view-model--hidden view) view))
          (view-model-reload-function (funcall view-model-reload-function))
          (t (view-model--paint view)))))

(defun view-model-copy-key (&optional only-look)
  "Copy the key of this buffer's session, with which other clients attach to it.
With ONLY-LOOK, the prefix argument, it is another key, with
which they can do nothing but look."
  (interactive "P" view-model-mode)
  (let* ((view (view-model--of-buffer))
         (key (or (view-model--view-key view) (user-error "There is no session"))))
    (when only-look
      (unless (view-model--view-session view) (user-error "Can't ask for the key: not connected"))
      (setq key (plist-get (view-model--ask (view-model--view-server view) 'session/key
                                            (list :session (view-model--view-session view) :access "read"))
                           :key)))
    (kill-new key)
    (message (if only-look
                 "Copied the key; with it, anyone can look at this session"
               "Copied the key; with it, anyone can attach to this session"))))

(defun view-model-end ()
  "End the session of this buffer for good, with all that stands on it.
Ask first where that takes something from others, or from a store.
Everyone's session is only left, and stays for the others."
  (interactive nil view-model-mode)
  (let* ((view (view-model--root (view-model--of-buffer)))
         (server (view-model--view-server view))
         (session (view-model--view-session view)))
    (view-model--may-act view)
    (when (view-model--view-kept view)
      (user-error "It can't be ended now, and may be kept; killing the buffer leaves it"))
    (unless (view-model--view-reason view)
      (unless session (user-error "It can't be ended now: not connected"))
      (let* ((sessions (plist-get (view-model--ask server 'session/list nil) :sessions))
             (entry (seq-find (lambda (entry) (eql session (plist-get entry :session))) sessions)))
        (unless (view-model--may-end view (1- (or (plist-get entry :views) 1)))
          (user-error "It goes on"))
        (view-model--ask server 'session/close (list :session session))))
    (setf (view-model--view-reason view) "it was ended")
    (when (buffer-live-p (view-model--view-buffer view)) (kill-buffer (view-model--view-buffer view)))
    (when (and session (view-model--is-everyones view))
      (message "%s stays for the others: %s" (view-model--view-name view) (view-model--way-back view)))))

(defun view-model--is-everyones (view)
  "Return whether there is one session of VIEW for everyone.
A client that ends that only leaves it."
  (equal "everyone" (view-model--scope view)))

(defun view-model--may-end (view others)
  "Return whether the session of VIEW may end.
The user is asked where OTHERS, a number of views, or a store
lose something by it."
  (let ((is-durable (view-model--server-is-durable (view-model--view-server view))))
    (or (view-model--is-everyones view)
        (and (zerop others) (not is-durable))
        (yes-or-no-p (concat (format "End %s for good? " (view-model--view-name view))
                             (pcase others
                               (0 "")
                               (1 "Another view of it is open. ")
                               (_ (format "%d other views of it are open. " others)))
                             (when is-durable "What the server has stored of it is removed. "))))))

(put 'view-model-send-event 'view-model-sends t)

;;; The mode

(defvar view-model-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "q") #'view-model-back)
    (define-key map (kbd "w") #'view-model-copy-key)
    (define-key map (kbd "C-c C-k") #'view-model-interrupt)
    (define-key map (kbd "C-c C-u") #'view-model-unsent)
    (define-key map (kbd "C-c C-e") #'view-model-end)
    map)
  "Keys in every buffer that shows a view model.")

(define-derived-mode view-model-mode special-mode "View Model"
  "Show a view model.
A mode for one view model derives from this one and sets
`view-model-event-function' and `view-model-paint-function', and
where it needs them `view-model-reset-function',
`view-model-opened-function', `view-model-found-function',
`view-model-reload-function',
`view-model-status-function' and `view-model-keys'."
  (buffer-disable-undo)
  (setq truncate-lines t
        view-model--overlay (make-overlay (point-min) (point-max) nil nil t)
        header-line-format '(:eval (view-model--header)))
  (setq-local revert-buffer-function #'view-model-reload)
  (add-hook 'kill-buffer-query-functions #'view-model--may-kill nil t)
  (add-hook 'kill-buffer-hook #'view-model--kill-lists nil t)
  (add-hook 'kill-buffer-hook #'view-model--killed nil t))

(provide 'view-model)

;;; view-model.el ends here
