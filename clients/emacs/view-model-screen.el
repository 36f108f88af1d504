;;; view-model-screen.el --- The buffers and windows of views  -*- lexical-binding: t; -*-

;;; Commentary:

;; A view has a buffer, in the mode for its view model.  A child that was
;; pushed takes the place of what it covers, and one that was presented
;; is in a window below that.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'view-model-paint)

;;; Buffers

(defconst view-model--own-modes
  '(("Examples.OrdersViewModel" . view-model-orders-mode)
    ("Examples.OrderDetailsViewModel" . view-model-order-details-mode)
    ("Examples.ConfirmCancelViewModel" . view-model-confirm-mode)
    ("Examples.FinderViewModel" . view-model-find-mode)
    ("Examples.FinderPreviewViewModel" . view-model-find-preview-mode))
  "The modes that come with this package, by the types of view models.
A name alone may be that of another server's view model.")

(defconst view-model--any-mode 'view-model-generic-mode
  "The mode that shows any view model.")

(defun view-model--mode (view)
  "Return the mode for the view model of VIEW."
  (let* ((name (view-model--view-name view))
         (type (cdr (assoc name (view-model--server-types (view-model--view-server view))))))
    (cdr (or (and type (assoc type view-model-modes))
             (assoc name view-model-modes)
             (and type (assoc type view-model--own-modes))
             (cons nil view-model--any-mode)))))

(defun view-model--make-buffer (view)
  "Make the buffer of VIEW, and return it."
  (with-current-buffer (generate-new-buffer (format "*%s*" (view-model--view-name view)))
    (setf (view-model--view-buffer view) (current-buffer))
    (view-model--enter view (view-model--mode view))
    (current-buffer)))

(defun view-model--enter (view mode)
  "Show VIEW with MODE in the current buffer.
Where that fails, it is shown by its events, and its header line says why."
  (setf (view-model--view-failure view) nil)
  (condition-case-unless-debug error
      (funcall mode)
    (error (setf (view-model--view-failure view) (error-message-string error))
           (funcall view-model--any-mode)))
  (setf (view-model--view-is-fleeting view) view-model-is-fleeting)
  (setq view-model--view view)
  (view-model--in view 'view-model-reset-function)
  (view-model--paint view))

(defun view-model--choose-mode (view)
  "Show VIEW with another mode where its server is another one now."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (with-current-buffer buffer
      (let ((mode (view-model--mode view)))
        (unless (or (eq mode major-mode) (view-model--view-failure view))
          (remove-overlays (point-min) (point-max))
          (view-model--enter view mode))))))

;;; Windows

(defun view-model--windows (view)
  "Return all windows with VIEW."
  (seq-mapcat (lambda (buffer) (get-buffer-window-list buffer nil t)) (view-model--buffers view)))

(defun view-model--window (view)
  "Return a window with VIEW.
That is the selected one too where it shows something of the same root."
  (or (seq-some (lambda (buffer) (get-buffer-window buffer t)) (view-model--buffers view))
      (and (memq (window-buffer) (seq-mapcat #'view-model--buffers (view-model--all (list (view-model--root view)))))
           (selected-window))))

(defun view-model--show (child covered)
  "Show CHILD in the windows of COVERED, and nowhere where it has none."
  (let ((buffer (view-model--view-buffer child))
        (window (view-model--window covered)))
    (cond ((view-model--in (view-model--view-host child) 'view-model-show-function buffer))
          ((null window) (message "%s opened %s" (view-model--view-name covered) (buffer-name buffer)))
          ((eq (view-model--view-kind child) 'pushed)
           (setf (view-model--view-front covered)
                 (car (memq (window-buffer window) (view-model--list-buffers covered))))
           (dolist (window (cl-union (list window) (view-model--windows covered)))
             (set-window-buffer window buffer)))
          (t (let* ((is-selected (eq window (selected-window)))
                    (shown (with-selected-window window
                             (display-buffer buffer '((display-buffer-below-selected display-buffer-at-bottom)
                                                      (window-height . 8) (dedicated . t))))))
               (when (and shown is-selected) (select-window shown)))))))

(defun view-model--shows-children (view)
  "Return whether children of VIEW have a place of their own."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (not (eq (buffer-local-value 'view-model-show-function buffer) #'ignore))))

(defun view-model--hide (view)
  "Show what VIEW stood on in its place, and kill its buffer."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (let* ((host (view-model--view-host view))
           (top (and host (view-model--top host)))
           ;; Killing a buffer brings back what the window showed before.
           (below (when (and top (not (view-model--shows-children host)))
                    (if (buffer-live-p (view-model--view-front top))
                        (view-model--view-front top)
                      (view-model--view-buffer top)))))
      (dolist (window (view-model--windows view))
        (let ((is-selected (eq window (selected-window)))
              (return (and top (seq-some #'get-buffer-window (seq-filter #'buffer-live-p (view-model--buffers top))))))
          (cond ((and (eq (view-model--view-kind view) 'presented) (window-deletable-p window))
                 (delete-window window)
                 (when (and is-selected return) (select-window return)))
                ((buffer-live-p below)
                 (set-window-dedicated-p window nil)
                 (set-window-buffer window below)))))
      (when (and top (eq (view-model--view-kind view) 'pushed)) (setf (view-model--view-front top) nil))
      (kill-buffer buffer))))

(provide 'view-model-screen)

;;; view-model-screen.el ends here
