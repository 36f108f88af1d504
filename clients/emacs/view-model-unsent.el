;;; view-model-unsent.el --- Events that no session took  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the user did and no session took is kept, to be copied, to be
;; sent again, or to be forgotten.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'subr-x)
(require 'view-model-paint)

(defun view-model--keep-unsent (view event was-sent)
  "Keep EVENT of VIEW for the user to see, and to send again.
WAS-SENT is whether it was, and no answer came."
  (unless (view-model--view-is-fleeting view)
    (let* ((root (or (view-model--view-name (view-model--root view)) "view model"))
           (label (view-model--label-of view)))
      (setq view-model--unsent
            (append view-model--unsent
                    (list (view-model--make-unsent :root root :label label :event event :was-sent was-sent))))
      (view-model--unsent-changed)
      (message "%s; M-x view-model-unsent shows what" (view-model--unsent-count root)))))

(defun view-model--find-unsent (view kind)
  "Return the oldest event of KIND that VIEW, or one like it, didn't send."
  (let ((label (view-model--label-of view)))
    (cl-find-if (lambda (unsent)
                  (and (equal label (view-model--unsent-label unsent))
                       (equal kind (plist-get (view-model--unsent-event unsent) :kind))))
                view-model--unsent)))

(defun view-model--drop-unsent (unsent)
  "Forget UNSENT, which may be nil."
  (when unsent
    (setq view-model--unsent (delq unsent view-model--unsent))
    (view-model--unsent-changed)))

(defun view-model--unsent-changed ()
  "Show in all buffers what wasn't sent."
  (mapc #'view-model--refresh view-model--servers)
  (when-let ((buffer (get-buffer "*view model: not sent*")))
    (with-current-buffer buffer (view-model-unsent--paint))))

;;; The list of them

(defvar view-model-unsent-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "d") #'view-model-unsent-forget)
    map)
  "Keys in the list of what wasn't sent.")

(define-derived-mode view-model-unsent-mode special-mode "Not Sent"
  "List the events that no session took, to be copied, or to be forgotten."
  (setq-local revert-buffer-function (lambda (&rest _) (view-model-unsent--paint))))

(defun view-model-unsent ()
  "Show the events that weren't sent, or weren't answered."
  (interactive)
  (pop-to-buffer (get-buffer-create "*view model: not sent*"))
  (unless (derived-mode-p 'view-model-unsent-mode) (view-model-unsent-mode))
  (view-model-unsent--paint)
  (goto-char (point-min)))

(defun view-model-unsent--paint ()
  "List the events, each text as it was written."
  (view-model-replace-text
   (lambda ()
     (unless view-model--unsent (insert "Nothing is left to be sent.\n"))
     (dolist (unsent view-model--unsent)
       (let ((start (point)))
         (insert (propertize (view-model--unsent-label unsent) 'face 'view-model-title) ": "
                 (view-model--unsent-title unsent) "\n")
         (cl-loop for (key value) on (view-model--unsent-event unsent) by #'cddr
                  unless (eq key :kind)
                  do (insert "  " (substring (symbol-name key) 1) ": "
                             (if (stringp value) value (json-encode value)) "\n"))
         (insert "\n")
         (put-text-property start (point) 'view-model-unsent unsent)))
     (when view-model--unsent (view-model--insert-keys '("d" . "forget this one") '("q" . "leave"))))))

(defun view-model--unsent-title (unsent)
  "Return the kind of UNSENT, and whether it was sent."
  (concat (plist-get (view-model--unsent-event unsent) :kind)
          (when (view-model--unsent-was-sent unsent) "  (sent, and not answered)")))

(defun view-model-unsent-forget ()
  "Forget the event at point."
  (interactive nil view-model-unsent-mode)
  (view-model--drop-unsent (or (get-text-property (point) 'view-model-unsent) (user-error "There is no event here"))))

(provide 'view-model-unsent)

;;; view-model-unsent.el ends here
