;;; view-model-screen-tests.el --- Tests of what is on screen  -*- lexical-binding: t; -*-

;;; Commentary:

;; Buffers in their modes, and windows.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-testing)

;;; Modes

(ert-deftest view-model-tests-the-example-of-the-readme ()
  (let ((view-model-modes nil) (my-count nil))
    (view-model-tests-take-example "my-counter-mode")
    (view-model-tests-at (view-model-tests-address)
      (view-model "counter" '(:start 7))
      (view-model-tests-see "*counter*" "Count: 7")
      (view-model-tests-press "+")
      (view-model-tests-see "*counter*" "Count: 8"))
    (view-model-tests-with-shop
      (view-model "counter")
      (view-model-tests-see "*counter*" "people: 3, dogs: 1" :not "Count:"))))

(ert-deftest view-model-tests-a-view-model-is-shown-by-the-mode-for-its-type-or-name ()
  (pcase-dolist (`(,modes ,name ,type ,mode)
                 '((() "orders" "Examples.OrdersViewModel" view-model-orders-mode)
                   (() "orders" "Shop.Orders" view-model-generic-mode)
                   (() "orders" nil view-model-generic-mode)
                   ((("counter" . a)) "counter" "Shop.Counter" a)
                   ((("counter" . a)) "counter" nil a)
                   ((("Examples.CounterViewModel" . a)) "counter" "Shop.Counter" view-model-generic-mode)
                   ((("Examples.CounterViewModel" . a) ("counter" . b)) "counter" "Examples.CounterViewModel" a)
                   ((("Examples.OrdersViewModel" . a)) "orders" "Examples.OrdersViewModel" a)))
    (let ((view-model-modes modes))
      (should (eq mode (view-model--mode (view-model--make-view
                                          :name name :server (view-model--make-server
                                                              :types (list (cons name type))))))))))

(ert-deftest view-model-tests-the-names-of-another-server-are-its-own ()
  (view-model-tests-with-shop
    (view-model "orders")
    (view-model-tests-see "*orders*" "orders .*Ada.*Grace" "s send" :not "loadOrders" "RET details")
    (view-model-send '(:kind "pick" :number 4712))
    (view-model-tests-see "*orderDetails*" "title .*Grace" "s send" :not "State")
    (view-model-tests-press "q")
    (view-model-tests-until "the list is back" (lambda () (equal "*orders*" (buffer-name (window-buffer)))))))

(define-derived-mode view-model-tests-failing-mode view-model-mode "Failing"
  "A mode that fails when it shows something."
  (setq view-model-paint-function (lambda () (error "No such thing"))))

(ert-deftest view-model-tests-a-mode-that-fails-says-so ()
  (view-model-tests-at (view-model-tests-address)
    (pcase-dolist (`(,mode . ,problem) '((view-model-tests-failing-mode . "the view fails: No such thing")
                                         (view-model-tests-no-mode . "the view fails: .*view-model-tests-no-mode")))
      (let ((view-model-modes `(("counter" . ,mode)))
            (debug-on-error nil))
        (view-model "counter")
        (view-model-tests-see (buffer-name) problem)
        (kill-buffer)))))

(ert-deftest view-model-tests-a-broken-mode-does-not-stop-the-others ()
  (view-model-tests-with-fake
    (with-current-buffer "*thing*" (setq view-model-event-function (lambda (_) (error "Oops"))))
    (let ((debug-on-error nil))
      (view-model-tests-event 2 '(:kind "second"))
      (view-model-tests-see "*thing*" "the view fails: Oops"))
    (with-current-buffer "*thing*" (setq view-model-event-function #'view-model-generic--take))
    (view-model-tests-event 3 '(:kind "third" :value 3))
    (view-model-tests-see "*thing*" "third *3")))

(ert-deftest view-model-tests-only-the-last-events-are-kept ()
  (view-model-tests-at (view-model-tests-address)
    (view-model "counter")
    (view-model-tests-see "*counter*" "count  0")
    (dotimes (_ 30) (view-model-send '(:kind "increment" :by 1)))
    (view-model-tests-see "*counter*" "  31 count  30\n" "  12 count  11\n\\'" :not "  11 count")))

;;; The orders

(defmacro view-model-tests-with-orders (orders &rest body)
  "Do BODY with a made-up server that has ORDERS, which are shown."
  (declare (indent 1) (debug t))
  `(let ((orders ,orders))
     (view-model-tests-with-listener
         `(("initialize" . ,(lambda (_)
                              '(:capabilities (:viewModels [(:name "orders" :type "Examples.OrdersViewModel")]))))
           ("session/open" . ,(lambda (_) '(:session 1 :key "k" :viewModel "orders")))
           ("session/rows" . ,(lambda (asked)
                                (list :seq (view-model--view-seq view-model--view) :count (length orders)
                                      :first (plist-get asked :first) :rows (vconcat orders)))))
       (view-model "orders")
       (view-model-tests-until "the session is open" (lambda () (view-model--view-session view-model--view)))
       (view-model-tests-event 1 (list :kind "orders" :count (length orders)))
       ,@body)))

(ert-deftest view-model-tests-a-name-of-two-lines-is-one-line ()
  (view-model-tests-with-orders '((:id 1 :name "a\nb") (:id 2 :name "c"))
    (view-model-tests-see "*orders*" "2 orders" "\n  a b\n  c\\'")
    (view-model-tests-press "M->")
    (end-of-line)
    (view-model-tests-event 2 '(:kind "cancelled" :id 1))
    (view-model-tests-see "*orders*" "\n  a b +cancelled\n  c\\'")
    (should (eobp))))

(ert-deftest view-model-tests-orders-stay-where-they-are-when-they-are-loaded-again ()
  (view-model-tests-with-orders '((:id 1 :name "one") (:id 2 :name "two") (:id 3 :name "three"))
    (view-model-tests-see "*orders*" "3 orders" "three")
    (view-model-tests-press "n")
    (setq orders '((:id 2 :name "two") (:id 3 :name "three")))
    (view-model-tests-answer "session/rows" (lambda (_) 'nothing))
    (view-model-tests-event 2 '(:kind "orders" :count 2))
    (view-model-tests-see "*orders*" "2 orders" "\n  \\.\\.\\.\n  \\.\\.\\.\\'")
    ;; It may be another order's line by now.
    (let ((error (should-error (view-model-tests-press "RET") :type 'user-error)))
      (should (string-match-p "isn.t here yet" (cadr error))))
    (pcase-let ((`(,id . ,asked) (view-model-tests-last-request "session/rows")))
      (should (equal "orders" (plist-get asked :list)))
      (view-model-tests-say :id id :result (list :seq 2 :count 2 :first 0 :rows (vconcat orders))))
    (view-model-tests-see "*orders*" "\n  two\n  three\\'")
    (view-model-tests-press "RET")
    (view-model-tests-until "the choice"
                            (lambda ()
                              (member '(:kind "selectOrder" :index 0)
                                      (mapcar (lambda (params) (plist-get params :event))
                                              (view-model-tests-sent "view/event")))))))

(ert-deftest view-model-tests-a-kind-that-a-mode-does-not-know-changes-nothing ()
  (pcase-dolist (`(,mode ,event) '((view-model-order-details-mode (:kind "title" :value "one"))
                                   (view-model-confirm-mode (:kind "question" :value "one?"))))
    (with-temp-buffer
      (funcall mode)
      (funcall view-model-reset-function)
      (funcall view-model-event-function event)
      (funcall view-model-paint-function)
      (let ((before (buffer-string)))
        (should (string-match-p "one" before))
        (funcall view-model-event-function '(:kind "weather" :value "rain" :id 1))
        (funcall view-model-paint-function)
        (should (equal before (buffer-string))))))
  (view-model-tests-with-orders '((:id 1 :name "one"))
    (view-model-tests-see "*orders*" "1 orders" "\n  one\\'")
    (view-model-tests-event 2 '(:kind "weather" :value "rain" :id 1))
    (view-model-tests-event 3 '(:kind "cancelled" :id 1))
    (view-model-tests-see "*orders*" "1 orders, 1 cancelled" "\n  one +cancelled\\'" :not "fails")))

;;; Windows

(ert-deftest view-model-tests-a-question-whose-window-was-closed-is-shown-again ()
  (view-model-tests-at (view-model-tests-address)
    (view-model-tests-open-orders :count 3)
    (view-model-tests-press "M-< RET")
    (view-model-tests-see "*orderDetails*" "Details of Order #0")
    (view-model-tests-press "c")
    (view-model-tests-see "*confirmCancel*" "Cancel Order #0\\?")
    (view-model-tests-press "C-x 0")
    (view-model-tests-see "*orderDetails*" "confirmCancel is open over this; g shows it")
    (should (equal "*orderDetails*" (buffer-name (window-buffer))))
    (view-model-tests-press "g")
    (view-model-tests-see "*orderDetails*" "Details of Order #0" :not "is open over this")
    (should (equal "*confirmCancel*" (buffer-name (window-buffer))))
    (view-model-tests-press "n")
    (view-model-tests-until "the question is gone" (lambda () (not (get-buffer "*confirmCancel*"))))
    (should (equal "*orderDetails*" (buffer-name (window-buffer))))))

(ert-deftest view-model-tests-windows-of-others-are-left-alone ()
  (view-model-tests-at (view-model-tests-address)
    (view-model-tests-open-orders :count 3)
    (switch-to-buffer "*scratch*")
    (with-current-buffer "*orders*" (view-model-send '(:kind "selectOrder" :index 1)))
    (view-model-tests-see "*orderDetails*" "Details of Order #1")
    (should (equal "*scratch*" (buffer-name (window-buffer))))
    (should (one-window-p))))

(provide 'view-model-screen-tests)

;;; view-model-screen-tests.el ends here
