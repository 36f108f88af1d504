;;; view-model-orders.el --- Views of the orders of the examples  -*- lexical-binding: t; -*-

;;; Commentary:

;; The list of orders, of which only the lines of the window are in
;; the buffer; the details of an order; and the question whether it
;; shall be cancelled.

;;; Code:

(require 'view-model)
(require 'view-model-list)

;;; Orders

(defvar-local view-model-orders--cancelled nil
  "A hash table of the ids of the orders that were cancelled.")

(defvar-local view-model-orders--is-loading nil
  "Whether a list is on its way.")

(defvar-local view-model-orders--problem nil
  "Why the list couldn't be loaded.")

(defvar view-model-orders-mode-map
  (let ((map (view-model-list--make-map)))
    (define-key map (kbd "RET") #'view-model-orders-select)
    (define-key map (kbd "n") #'view-model-list-next)
    (define-key map (kbd "p") #'view-model-list-previous)
    map)
  "Keys in the list of orders.")

(define-derived-mode view-model-orders-mode view-model-mode "Orders"
  "Show a list of orders, a line each."
  (setq view-model-event-function #'view-model-orders--take
        view-model-reset-function #'view-model-orders--reset
        view-model-paint-function #'view-model-list--paint
        view-model-opened-function #'view-model-orders--load
        view-model-reload-function #'view-model-orders--load
        view-model-status-function #'view-model-orders--status
        view-model-list-line-function #'view-model-orders--line
        view-model-list-empty-text ""
        view-model-keys '(("RET" . "details") ("g" . "load again")))
  (setq-local mode-line-position '(:eval (view-model-list--place)))
  (view-model-list--set-up)
  (add-hook 'post-command-hook #'view-model-list--follow nil t))

(defun view-model-orders--load ()
  "Load the list."
  (view-model-send '(:kind "loadOrders")))

(defun view-model-orders-select ()
  "Show the details of the order on this line."
  (interactive nil view-model-orders-mode)
  (view-model-send `(:kind "selectOrder" :index ,(view-model-list--index))))

(defun view-model-orders--reset ()
  "Forget what was said of the orders."
  (unless view-model-list--rows (view-model-list--begin (view-model-list "orders")))
  (setq view-model-orders--cancelled (make-hash-table)
        view-model-orders--is-loading nil
        view-model-orders--problem nil))

(defun view-model-orders--take (event)
  "Remember EVENT."
  (pcase (plist-get event :kind)
    ("loading" (when (setq view-model-orders--is-loading (eq t (plist-get event :value)))
                 (setq view-model-orders--problem nil)))
    ("failed" (setq view-model-orders--problem (plist-get event :message)))
    ("cancelled" (puthash (plist-get event :id) t view-model-orders--cancelled))))

(defun view-model-orders--status ()
  "Say how many orders there are, or what happens."
  (let ((problem (or view-model-orders--problem (view-model-rows-problem view-model-list--rows)))
        (cancelled (hash-table-count view-model-orders--cancelled)))
    (cond (view-model-orders--is-loading "loading...")
          (problem (propertize (concat "loading failed: " problem "; g tries again") 'face 'view-model-problem))
          (t (concat (format "%d orders" (view-model-list--count))
                     (unless (zerop cancelled) (format ", %d cancelled" cancelled)))))))

(defun view-model-orders--line (rows index _width)
  "Return the line of the order of ROWS at INDEX."
  (concat "  "
          (if-let ((order (view-model-rows-row rows index)))
              ;; One line, whatever it is called.
              (let ((name (string-replace "\n" " " (plist-get order :name))))
                (if (gethash (plist-get order :id) view-model-orders--cancelled)
                    (concat (propertize name 'face 'view-model-cancelled)
                            (make-string (max 1 (- 30 (string-width name))) ?\s) "cancelled")
                  name))
            (propertize "..." 'face 'shadow))))

;;; Details of an order

(defvar-local view-model-order-details--title "")
(defvar-local view-model-order-details--is-cancelled nil)
(defvar-local view-model-order-details--note "")
(defvar-local view-model-order-details--is-saved t)

(defvar view-model-order-details-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "c") #'view-model-order-details-cancel)
    (define-key map (kbd "e") #'view-model-order-details-edit)
    (define-key map (kbd "s") #'view-model-order-details-save)
    (define-key map (kbd "d") #'view-model-order-details-done)
    map)
  "Keys in the details of an order.")

(define-derived-mode view-model-order-details-mode view-model-mode "Order"
  "Show an order."
  (setq view-model-event-function #'view-model-order-details--take
        view-model-reset-function #'view-model-order-details--reset
        view-model-paint-function #'view-model-order-details--paint
        view-model-label-function (lambda () view-model-order-details--title)))

(defun view-model-order-details--reset ()
  "Forget the order."
  (setq view-model-order-details--title ""
        view-model-order-details--is-cancelled nil
        view-model-order-details--note ""
        view-model-order-details--is-saved t))

(defun view-model-order-details--take (event)
  "Remember EVENT."
  (let ((value (plist-get event :value)))
    (pcase (plist-get event :kind)
      ("title" (setq view-model-order-details--title value))
      ("cancelled" (setq view-model-order-details--is-cancelled (eq t value)))
      ("note" (setq view-model-order-details--note value
                    view-model-order-details--is-saved (eq t (plist-get event :isSaved)))))))

(defun view-model-order-details--paint ()
  "Show the order."
  (view-model-replace-text
   (lambda ()
     (insert "\n  " (propertize view-model-order-details--title 'face 'view-model-title) "\n\n"
             "  State  " (if view-model-order-details--is-cancelled
                             (propertize "cancelled" 'face 'view-model-problem)
                           "open")
             "\n  Note   " (string-replace "\n" "\n         " view-model-order-details--note)
             (if view-model-order-details--is-saved "" (propertize "  (not saved)" 'face 'warning))
             "\n\n  ")
     (view-model--insert-keys '("c" . "cancel the order") '("e" . "edit the note") '("s" . "save it")
                              '("d" . "done")))))

(defun view-model-order-details-cancel ()
  "Ask the view model to cancel this order, which asks you first."
  (interactive nil view-model-order-details-mode)
  (view-model-send '(:kind "cancelOrder")))

(defun view-model-order-details-edit ()
  "Ask for the note of this order."
  (interactive nil view-model-order-details-mode)
  (view-model--send-answer
   (lambda ()
     (let ((unsent (view-model--find-unsent view-model--view "editNote")))
       (list :kind "editNote"
             :value (read-string "Note: " (if unsent
                                              (plist-get (view-model--unsent-event unsent) :value)
                                            view-model-order-details--note)))))))

(defun view-model-order-details-save ()
  "Save the note."
  (interactive nil view-model-order-details-mode)
  (view-model-send '(:kind "saveNote")))

(defun view-model-order-details-done ()
  "Leave this order, as its view model sees fit."
  (interactive nil view-model-order-details-mode)
  (view-model-send '(:kind "done")))

;;; The question whether an order shall be cancelled

(defvar-local view-model-confirm--question "")

(defvar view-model-confirm-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "y") #'view-model-confirm-yes)
    (define-key map (kbd "n") #'view-model-confirm-no)
    map)
  "Keys in a question.")

(define-derived-mode view-model-confirm-mode view-model-mode "Question"
  "Show a question."
  (setq view-model-event-function #'view-model-confirm--take
        view-model-reset-function #'view-model-confirm--reset
        view-model-paint-function #'view-model-confirm--paint
        view-model-label-function (lambda () view-model-confirm--question)))

(defun view-model-confirm--reset ()
  "Forget the question."
  (setq view-model-confirm--question ""))

(defun view-model-confirm--take (event)
  "Remember EVENT."
  (when (equal (plist-get event :kind) "question")
    (setq view-model-confirm--question (plist-get event :value))))

(defun view-model-confirm--paint ()
  "Show the question."
  (view-model-replace-text
   (lambda ()
     (insert "\n  " (propertize view-model-confirm--question 'face 'view-model-title) "\n\n  ")
     (view-model--insert-keys '("y" . "yes, cancel it") '("n" . "no, keep it")))))

(defun view-model-confirm-yes ()
  "Do it."
  (interactive nil view-model-confirm-mode)
  (view-model-send '(:kind "confirm")))

(defun view-model-confirm-no ()
  "Don't do it."
  (interactive nil view-model-confirm-mode)
  (view-model-send '(:kind "keep")))

(dolist (command '(view-model-orders--load
                    view-model-orders-select
                    view-model-order-details-cancel
                    view-model-order-details-edit
                    view-model-order-details-save
                    view-model-order-details-done
                    view-model-confirm-yes
                    view-model-confirm-no))
  (put command 'view-model-sends t))

(provide 'view-model-orders)

;;; view-model-orders.el ends here
