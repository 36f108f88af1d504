;;; view-model-leave-tests.el --- Tests of leaving what isn't answered  -*- lexical-binding: t; -*-

;;; Commentary:

;; walk.py has what a user sees of this.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-testing)

(defmacro view-model-tests-questions (wait &rest body)
  "Do BODY, and return what the user was asked, who says no.
Answers are awaited WAIT seconds."
  (declare (indent 1) (debug t))
  `(let ((view-model--longest-wait ,wait) asked)
     (cl-letf (((symbol-function 'yes-or-no-p) (lambda (words) (push words asked) nil)))
       ,@body
       (nreverse asked))))

(ert-deftest view-model-tests-leaving-waits-for-an-answer ()
  (view-model-tests-with-fake
    (view-model-send '(:kind "do" :value "a"))
    (should-not (view-model-tests-questions 3600 (should (view-model--may-exit))))
    (should-not (view-model--view-pending view-model--view))))

(ert-deftest view-model-tests-leaving-asks-about-what-is-not-answered ()
  (view-model-tests-with-fake
    (view-model-tests-answer "view/event" (lambda (_) 'nothing))
    (view-model-send '(:kind "do" :value "a"))
    (let ((question '("thing: do  value: \"a\" isn't answered yet; exit anyway? ")))
      (should (equal question (view-model-tests-questions 0 (should-not (view-model--may-exit)))))
      ;; What was awaited once isn't again.
      (should (equal question (view-model-tests-questions 3600 (should-not (view-model--may-exit)))))
      (should (equal '("This wasn't answered, and may not have been done: thing: do  value: \"a\"")
                     (view-model--undone-lines))))
    (view-model-interrupt)
    (should-not (view-model-tests-questions 3600 (should (view-model--may-exit))))
    (should-not (view-model--undone-lines))))

(ert-deftest view-model-tests-leaving-asks-nothing-about-what-a-view-sends-by-itself ()
  (view-model-tests-at (view-model-tests-address)
    (view-model "orders" '(:delay 600))
    (view-model-tests-see "*orders*" "loading")
    (should-not (view-model-tests-questions 3600 (should (view-model--may-exit))))
    (view-model-send '(:kind "loadOrders"))
    (should (equal '("orders: loadOrders isn't answered yet; exit anyway? ")
                   (view-model-tests-questions 0 (should-not (view-model--may-exit)))))))

(provide 'view-model-leave-tests)

;;; view-model-leave-tests.el ends here
