;;; view-model-outbox-tests.el --- Tests of events on their way  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the rules for all clients leave open: what is seen of events that
;; wait, are refused or are given back.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-testing)

(defun view-model-tests-unsent ()
  "Return what wasn't sent: for each event its view, its value, and whether it was sent and not answered."
  (mapcar (lambda (unsent)
            (list (view-model--unsent-label unsent) (plist-get (view-model--unsent-event unsent) :value)
                  (view-model--unsent-was-sent unsent)))
          view-model--unsent))

(ert-deftest view-model-tests-what-is-sent-while-a-session-is-opened-follows-it ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/open" (lambda (_) 'nothing))
    (view-model "thing")
    (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
    (view-model-send '(:kind "do" :value 7))
    (view-model-tests-answer-late "session/open" '(:session 2 :key "k2" :viewModel "thing"))
    (view-model-tests-until "the event" (lambda () (view-model-tests-sent "view/event")))
    (should (equal '((1 7)) (view-model-tests-sent-numbers)))))

(ert-deftest view-model-tests-what-the-store-cannot-take-is-sent-again-in-its-order ()
  (view-model-tests-with-fake
    (view-model-tests-answer
     "view/event"
     (lambda (params)
       (if (equal 1 (plist-get params :number))
           '(error :code -32016 :message "the store can't be used: the disk is full" :data (:retryAfterMs 200))
         '(error :code -32602 :message "it comes too early" :data (:path "/number")))))
    (view-model-send '(:kind "do" :value "a"))
    (view-model-send '(:kind "do" :value "b"))
    (view-model-tests-see "*thing*" "2 events wait to be sent  the server can't store anything now")
    (view-model-tests-answer "view/event" (lambda (_) '(:seq 1)))
    (view-model-send '(:kind "do" :value "c"))
    (should (equal '((1 "a") (2 "b")) (view-model-tests-sent-numbers)))
    (view-model-tests-see "*thing*" "thing" :not "wait" "store" "working")
    (should (equal '((1 "a") (2 "b") (1 "a") (2 "b") (3 "c")) (view-model-tests-sent-numbers)))
    (should-not (view-model-tests-unsent))
    (should-not (view-model-tests-sent "session/attach"))))

(ert-deftest view-model-tests-what-was-taken-does-not-count-as-refused-by-the-store ()
  (view-model-tests-with-fake
    (view-model-tests-answer "view/event" (lambda (_) 'nothing))
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 1 :handled 1)))
    (view-model-send '(:kind "do" :value 0))
    (view-model-tests-until "the event" (lambda () (view-model-tests-sent "view/event")))
    (view-model-tests-answer
     "view/event" (lambda (_) '(error :code -32016 :message "the disk is full" :data (:retryAfterMs 3600000))))
    (view-model-tests-while-cut)
    (view-model-tests-until "it is asked after" (lambda () (cdr (view-model-tests-sent "view/event"))))
    (let ((sent (car (view-model--view-pending view-model--view))))
      (view-model-tests-until "the refusal" (lambda () (not (view-model--sent-session sent))))
      ;; It is stored already, and may be done.
      (should (view-model--sent-was-sent sent)))
    (view-model-tests-see "*thing*" "working" :not "store" "wait")))

(ert-deftest view-model-tests-what-is-not-taken-is-given-back ()
  (pcase-dolist (`(,error ,was-sent) '(((:code -32012 :message "there is no session 1") t)
                                       ((:code -32015 :message "too much") nil)))
    (view-model-tests-with-fake
      (view-model-tests-answer "view/event" (lambda (_) (cons 'error error)))
      (when was-sent
        ;; There is no text to be kept.
        (view-model-tests-said "Too late for confirm" (lambda () (view-model-send '(:kind "confirm")))))
      (view-model-send '(:kind "do" :value "a"))
      (view-model-tests-until "it is given back" #'view-model-tests-unsent)
      (should (equal `(("thing" "a" ,was-sent)) (view-model-tests-unsent))))))

(ert-deftest view-model-tests-what-was-sent-is-told-apart-from-what-was-not ()
  (view-model-tests-with-fake
    (view-model--keep-unsent view-model--view '(:kind "do" :value "a") t)
    (view-model--keep-unsent view-model--view '(:kind "do" :value "b\nc") nil)
    (view-model-tests-see "*thing*" "1 event wasn't sent, 1 event wasn't answered (C-c C-u)")
    (save-window-excursion (view-model-unsent))
    (view-model-tests-see "*view model: not sent*" "thing: do  (sent, and not answered)\n  value: a\n"
                          "thing: do\n  value: b\nc\n")))

(ert-deftest view-model-tests-other-buffers-are-reverted-as-ever ()
  (view-model-tests-with-fake
    (save-window-excursion (view-model-unsent))
    (should (eq #'revert-buffer--default (default-value 'revert-buffer-function)))))

(ert-deftest view-model-tests-an-answer-goes-to-nobody-else ()
  (view-model-tests-at (view-model-tests-address)
    (view-model-tests-open-orders :count 3)
    (view-model-tests-press "M-< RET")
    (view-model-tests-see "*orderDetails*" "Details of Order #0")
    (set-buffer "*orderDetails*")
    (should-error (view-model--send-answer
                   (lambda ()
                     (view-model-send '(:kind "done"))
                     (view-model-tests-until "it is gone" (lambda () (not (get-buffer "*orderDetails*"))))
                     '(:kind "loadOrders")))
                  :type 'user-error)))

(ert-deftest view-model-tests-progress-is-shown-and-cancelled ()
  (view-model-tests-at (view-model-tests-address)
    (let ((view-model-modes '(("orders" . view-model-generic-mode))))
      (view-model "orders" '(:delay 600)))
    (view-model-send '(:kind "loadOrders"))
    (view-model-tests-see "*orders*" "Loading orders\\.\\.\\." "loading *true")
    (view-model-interrupt)
    (view-model-tests-see "*orders*" "loading *false" :not "Loading orders" "working")
    (should-error (view-model-interrupt) :type 'user-error)
    ;; What goes on after its answer.
    (view-model "stopwatch")
    (view-model-tests-see "*stopwatch*" "isRunning *false")
    (view-model-send '(:kind "start"))
    (view-model-tests-see "*stopwatch*" "Measuring time\\.\\.\\." "isRunning *true" :not "working")
    (view-model-send '(:kind "lap"))
    (view-model-tests-see "*stopwatch*" "Measuring time lap 1\\.\\.\\." :not "working")
    (view-model-send '(:kind "stop"))
    (view-model-tests-see "*stopwatch*" "isRunning *false" :not "Measuring time" "working")))

(provide 'view-model-outbox-tests)

;;; view-model-outbox-tests.el ends here
