;;; view-model-generic.el --- Any view model, by its events  -*- lexical-binding: t; -*-

;;; Commentary:

;; A view model that has no mode of its own is shown by its newest events,
;; its lists, and the last events.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'view-model)

(defvar-local view-model-generic--newest nil
  "The newest event of each kind, in the order in which the kinds came first.")

(defvar-local view-model-generic--last nil
  "The last events, newest first, each (NUMBER . EVENT).")

(defvar view-model-generic-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "s") #'view-model-send-event)
    (define-key map (kbd "RET") #'view-model-generic-show)
    (define-key map (kbd "l") #'view-model-show-list)
    map)
  "Keys where a view model is shown by its events.")

(define-derived-mode view-model-generic-mode view-model-mode "View Model"
  "Show any view model: its newest events, its lists, and the last events."
  (setq view-model-event-function #'view-model-generic--take
        view-model-reset-function #'view-model-generic--reset
        view-model-paint-function #'view-model-generic--paint
        view-model-wants-description t
        view-model-keys '(("s" . "send") ("RET" . "show in full"))))

(defun view-model-generic--reset ()
  "Forget all events."
  (setq view-model-generic--newest nil
        view-model-generic--last nil))

(defun view-model-generic--take (event)
  "Remember EVENT."
  (let* ((kind (plist-get event :kind))
         (known (assoc kind view-model-generic--newest)))
    (if known
        (setcdr known event)
      (setq view-model-generic--newest (append view-model-generic--newest (list (cons kind event)))))
    (push (cons (view-model--view-seq view-model--view) event) view-model-generic--last)
    (when-let ((rest (nthcdr (max 0 (1- view-model-generic-events)) view-model-generic--last))) (setcdr rest nil))))

(defun view-model-generic--paint ()
  "Show all events, and how long the lists are."
  (let* ((lists (view-model--declared-lists view-model--view))
         (names (mapcar #'view-model-rows-name lists))
         (newest (seq-remove (lambda (entry) (member (car entry) names)) view-model-generic--newest))
         (width (apply #'max 0 (mapcar #'string-width (append names (mapcar #'car newest))))))
    (view-model-replace-text
     (lambda ()
       (cl-flet ((line (label event)
                   (insert (propertize (concat label "  " (view-model--event-text event) "\n")
                                       'view-model-event event))))
         (insert (propertize "Newest of each kind\n" 'face 'view-model-title))
         (unless newest (insert (propertize "  Nothing came yet.\n" 'face 'shadow)))
         (pcase-dolist (`(,kind . ,event) newest)
           (line (concat "  " (string-pad kind width)) event))
         (when lists
           (insert (propertize "\nLists\n" 'face 'view-model-title))
           (dolist (rows lists)
             (let ((name (view-model-rows-name rows)) (count (view-model-rows-count rows)))
               (insert (propertize (format "  %s  %d %s\n" (string-pad name width) count (if (= count 1) "row" "rows"))
                                   'view-model-list name)))))
         (when view-model-generic--last
           (insert (propertize "\nLast events\n" 'face 'view-model-title))
           (pcase-dolist (`(,number . ,event) view-model-generic--last)
             (line (format "  %4d %s" number (plist-get event :kind)) event))))))))

(defun view-model-generic-show ()
  "Show what is on this line: a list, or an event in full."
  (interactive nil view-model-generic-mode)
  (if-let ((name (get-text-property (line-beginning-position) 'view-model-list)))
      (view-model-show-list name)
    (view-model-show-event)))

(defun view-model-show-event ()
  "Show the event on this line in full."
  (interactive nil view-model-generic-mode)
  (view-model--show-in-full (or (get-text-property (line-beginning-position) 'view-model-event)
                                (user-error "There is no event on this line"))))

(provide 'view-model-generic)

;;; view-model-generic.el ends here
