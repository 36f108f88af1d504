;;; view-model-session-tests.el --- Tests of sessions  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the rules for all clients leave open: what is said of a session,
;; and what the user can do then.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-testing)

(ert-deftest view-model-tests-a-session-that-nobody-waits-for-is-left ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/open" (lambda (_) 'nothing))
    (view-model "thing")
    (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
    (kill-buffer)
    (view-model-tests-answer-late "session/open" '(:session 2 :key "k2" :viewModel "thing"))
    (view-model-tests-until "a detaching" (lambda () (member '(:session 2) (view-model-tests-sent "session/detach"))))
    (should-not (view-model-tests-sent "session/close"))))

(ert-deftest view-model-tests-each-view-has-a-name-of-its-own-that-is-used-again ()
  (view-model-tests-with-fake
    (view-model "thing")
    (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
    (kill-buffer)
    (view-model-attach "other")
    (let ((first (plist-get (nth 0 (view-model-tests-sent "session/open")) :client))
          (second (plist-get (nth 1 (view-model-tests-sent "session/open")) :client))
          (attached (plist-get (car (view-model-tests-sent "session/attach")) :client)))
      (should-not (equal first second))
      (should (equal second attached))
      (should (equal (car (split-string first "-")) (car (split-string second "-")))))))

(ert-deftest view-model-tests-a-view-whose-place-another-took-is-shown-here-again-by-g ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 2 :viewModel "thing" :seq 1)))
    (view-model-tests-say :method "session/closed" :params '(:session 1 :reason "replaced"))
    (view-model-tests-until "it is attached again" (lambda () (eql 2 (view-model--view-session view-model--view))))
    (view-model-tests-say :method "session/closed" :params '(:session 2 :reason "replaced"))
    (view-model-tests-see "*thing*" "it is shown elsewhere; g shows it here again")
    (view-model-tests-press "g")
    (view-model-tests-until "it is attached" (lambda () (view-model--view-session view-model--view)))
    (view-model-tests-see "*thing*" :not "elsewhere")
    (should (equal '("k" "k") (mapcar (lambda (params) (plist-get params :key))
                                      (view-model-tests-sent "session/attach"))))))

(ert-deftest view-model-tests-a-key-that-nobody-has ()
  (view-model-tests-at (view-model-tests-address)
    (let ((error (should-error (view-model-attach "AAAAAAAAAAAAAAAAAAAAAA") :type 'user-error)))
      (should (string-match-p "no session with this key" (cadr error))))))

(ert-deftest view-model-tests-a-whole-navigation-is-rebuilt ()
  (view-model-tests-at (view-model-tests-address)
    (view-model-tests-open-orders :count 3)
    (view-model-tests-press "M-> RET")
    (view-model-tests-see "*orderDetails*" "Details of Order #2")
    (view-model-tests-press "c")
    (view-model-tests-see "*confirmCancel*" "Cancel Order #2\\?")
    (delete-other-windows)
    (switch-to-buffer "*scratch*")
    (view-model-attach (with-current-buffer "*orders*" (view-model--view-key view-model--view)))
    (view-model-tests-see "*orders*<2>" "3 orders")
    (view-model-tests-see "*orderDetails*<2>" "Details of Order #2")
    (view-model-tests-see "*confirmCancel*<2>" "Cancel Order #2\\?")
    (pop-to-buffer "*confirmCancel*<2>")
    (view-model-tests-press "y")
    (dolist (name '("*orders*" "*orders*<2>")) (view-model-tests-see name "3 orders, 1 cancelled"))
    (dolist (name '("*orderDetails*" "*orderDetails*<2>")) (view-model-tests-see name "State  cancelled"))
    (view-model-tests-until "the questions are gone"
                            (lambda () (not (or (get-buffer "*confirmCancel*") (get-buffer "*confirmCancel*<2>")))))
    (kill-buffer "*orders*<2>")
    (should-not (get-buffer "*orderDetails*<2>"))
    (with-current-buffer "*orderDetails*" (view-model-send '(:kind "editNote" :value "still here")))
    (view-model-tests-see "*orderDetails*" "still here")))

;;; Sessions that may be kept

(defmacro view-model-tests-with-store (&rest body)
  "Do BODY with a made-up server that has a store, on which a view model is opened."
  (declare (indent 0) (debug t))
  `(view-model-tests-with-fake
     (view-model-tests-answer "initialize"
                              (lambda (_) '(:capabilities (:viewModels [(:name "thing")] :durable t))))
     (view-model-tests-while-cut)
     (view-model-tests-until "the session is back" (lambda () (view-model--view-session view-model--view)))
     ,@body))

(defun view-model-tests-see-below (pattern)
  "Wait until PATTERN is below the text of the buffer, in one line; it is painted after the header line."
  (view-model-tests-until pattern
                          (lambda ()
                            (string-match-p pattern (string-replace "\n" " " (view-model-tests-below "*thing*"))))))

(defun view-model-tests-refuse-to-go-on (&rest _)
  "Answer as a server whose store has a session that can't go on."
  '(error :code -32014 :message "the session can't go on, and stays in the store: no such shelf"))

(defconst view-model-tests-kept-line "thing is kept if durable: M-x view-model-attach RET k"
  "What is said when Emacs is left.")

(ert-deftest view-model-tests-a-session-that-failed-and-may-be-kept-is-asked-for-again ()
  (view-model-tests-with-store
    (dolist (said '(("failed" "it can't go on now, and may be kept") ("serverShutdown" "the server was shut down")))
      (view-model-tests-say :method "session/closed" :params (list :session 1 :reason (car said)))
      (view-model-tests-see "*thing*" (concat (cadr said) "; g tries again") "first *1")
      (view-model-tests-see-below "may have kept its session.* g tries\\s-+again.*view-model-attach")
      (should (equal (list view-model-tests-kept-line) (view-model--kept-lines)))
      (view-model-copy-key)
      (should (equal "k" (current-kill 0)))
      (should-error (view-model-end) :type 'user-error)
      ;; It can't go on yet, and what it showed stays.
      (view-model-tests-answer "session/attach" #'view-model-tests-refuse-to-go-on)
      (view-model-tests-said "thing: it can't go on now" (lambda () (view-model-tests-press "g")))
      (view-model-tests-see "*thing*" "it can't go on now, and may be kept; g tries again" "first *1")
      (view-model-tests-see-below "no such shelf")
      (should (string-match-p "no such shelf" (cadr (should-error (view-model-attach "k") :type 'user-error))))
      (view-model-tests-answer "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 1)))
      (view-model-tests-press "g")
      (view-model-tests-see "*thing*" "first *1" :not "kept" "tries again" "opening")
      (view-model-tests-see-below "\\`\\'")
      (should (equal "k" (plist-get (car (last (view-model-tests-sent "session/attach"))) :key))))
    (should (= 1 (length (view-model-tests-sent "session/open"))))
    ;; A cut doesn't lose it, and who leaves it is told the way back.
    (view-model-tests-answer "session/attach" #'view-model-tests-refuse-to-go-on)
    (dotimes (_ 2)
      (let ((before (length (view-model-tests-sent "session/attach"))))
        (view-model-tests-while-cut)
        (view-model-tests-until "another try" (lambda () (< before (length (view-model-tests-sent "session/attach")))))
        (view-model-tests-see "*thing*" "it can't go on now, and may be kept; g tries again")))
    (let ((view-model--left nil))
      (view-model-tests-said (regexp-quote view-model-tests-kept-line) (lambda () (kill-buffer "*thing*")))
      (should (equal '(("k" . "thing")) view-model--left)))))

(ert-deftest view-model-tests-a-session-that-is-not-kept-after-all-is-opened-anew ()
  (view-model-tests-with-store
    (view-model-tests-say :method "session/closed" :params '(:session 1 :reason "failed"))
    (view-model-tests-see "*thing*" "g tries again")
    (view-model-tests-answer "session/attach" (lambda (_) '(error :code -32012 :message "there is no session")))
    (view-model-tests-answer "session/open" (lambda (_) '(:session 2 :key "k2" :viewModel "thing")))
    (view-model-tests-said "thing: its session is gone; another is opened" (lambda () (view-model-tests-press "g")))
    (view-model-tests-see "*thing*" :not "kept" "again" "opening" "first")
    (should (equal "k2" (view-model--view-key view-model--view)))))

(ert-deftest view-model-tests-a-child-that-can-not-go-on-is-asked-for-again-alone ()
  (view-model-tests-with-store
    (view-model-tests-answer "session/attach" #'view-model-tests-refuse-to-go-on)
    (view-model-tests-say :method "navigation/push" :params '(:session 1 :seq 2 :viewModel "part" :key "c"))
    (view-model-tests-see "*part*" "it can't go on now, and may be kept; g tries again")
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 3 :viewModel "part" :seq 0)))
    (view-model-tests-press "g")
    (view-model-tests-see "*part*" :not "again" "opening")
    (should (equal "c" (plist-get (car (last (view-model-tests-sent "session/attach"))) :key)))
    (view-model-tests-answer "navigation/back" (lambda (_) '(:seq 3)))
    (view-model-tests-say :method "navigation/pop" :params '(:session 1 :seq 3 :key "c"))
    (view-model-tests-until "it is off" (lambda () (not (get-buffer "*part*"))))))

(ert-deftest view-model-tests-a-session-that-cannot-be-read-now-says-so-and-why ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/attach"
                             (lambda (_) '(error :code -32016 :message "the store can't be used: the disk is full"
                                                 :data (:retryAfterMs 50))))
    (view-model-tests-while-cut)
    (view-model-tests-see "*thing*" "the server can't store anything now")
    ;; It goes and comes with each try.
    (view-model-tests-until "the reason" (lambda ()
                                           (string-match-p "(the disk is full)" (view-model-tests-below "*thing*"))))
    (view-model-tests-until "several tries" (lambda () (< 3 (length (view-model-tests-sent "session/attach")))))
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 1 :handled 0)))
    (view-model-tests-see "*thing*" "first *1" :not "store" "opening")))

(provide 'view-model-session-tests)

;;; view-model-session-tests.el ends here
