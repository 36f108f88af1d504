;;; view-model-scope-tests.el --- Tests of sessions that are found again  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the rules for all clients leave open of view models that have a
;; scope: what their modes do at first, and what is said to the user.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-testing)

(defconst view-model-tests-found
  '(:session 1 :key "k" :viewModel "todos" :isNew :json-false :seq 7 :snapshot [(:kind "told" :value "before")])
  "The answer to an open that has found a session.")

(defmacro view-model-tests-with-scopes (opened &rest body)
  "Do BODY with a made-up server of view models that have scopes.
Opens are answered OPENED."
  (declare (indent 1) (debug t))
  `(view-model-tests-with-listener
       (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "todos" :scope "person")
                                                                          (:name "board" :scope "everyone")]))))
             (cons "session/open" (lambda (_) ,opened))
             (cons "session/attach" (lambda (_) '(:session 1 :viewModel "todos" :seq 7)))
             (cons "session/list" (lambda (_) '(:sessions [(:session 1 :views 3)]))))
     ,@body))

(defmacro view-model-tests-what-it-sends (opened &rest body)
  "Open a view model whose mode sends \"first\", do BODY, and return what is sent.
Opens are answered OPENED."
  (declare (indent 1) (debug t))
  `(cl-letf (((default-value 'view-model-opened-function) (lambda () (view-model-send '(:kind "first")))))
     (view-model-tests-with-scopes ,opened
       (view-model "todos")
       ,@body
       (view-model-tests-until "the session is open" (lambda () (view-model--view-session view-model--view)))
       (view-model-send '(:kind "last"))
       (view-model-tests-until "the last event" (lambda ()
                                                  (member "last" (view-model-tests-sent-kinds))))
       (view-model-tests-sent-kinds))))

(defun view-model-tests-sent-kinds ()
  "Return the kinds of the events that were sent, oldest first."
  (mapcar (lambda (params) (plist-get (plist-get params :event) :kind)) (view-model-tests-sent "view/event")))

(ert-deftest view-model-tests-a-session-that-is-found-too-late-is-left ()
  (view-model-tests-with-scopes 'nothing
    (dolist (is-new '(t :json-false))
      ;; Another keeps the connection.
      (view-model "todos")
      (view-model "board")
      (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
      (kill-buffer)
      (view-model-tests-answer-late "session/open" `(:session 2 :key "k" :viewModel "board" :isNew ,is-new))
      (view-model-tests-until "a detaching" (lambda () (member '(:session 2) (view-model-tests-sent "session/detach"))))
      (should-not (view-model-tests-sent "session/close"))
      (setq view-model-tests-fake-log nil))))

(ert-deftest view-model-tests-a-mode-says-nothing-at-first-to-a-session-that-it-finds ()
  (should (equal '("last") (view-model-tests-what-it-sends view-model-tests-found)))
  (should (equal '("first" "last")
                 (view-model-tests-what-it-sends '(:session 1 :key "k" :viewModel "todos" :isNew t)))))

(ert-deftest view-model-tests-a-mode-does-what-comes-first-where-the-answer-that-it-may-have-made-one-was-lost ()
  (should (equal '("first" "last")
                 (view-model-tests-what-it-sends 'nothing
                   (view-model-tests-until "the open" (lambda () (view-model-tests-sent "session/open")))
                   (view-model-tests-answer "session/open" (lambda (_) view-model-tests-found))
                   (delete-process view-model-tests-fake-client)))))

(ert-deftest view-model-tests-who-leaves-what-is-found-again-is-told-to-open-it ()
  (view-model-tests-with-scopes view-model-tests-found
    (cl-flet ((leave () (view-model-tests-see "*todos*" "told *before") (kill-buffer "*todos*")))
      (view-model "todos")
      (view-model-tests-said "todos goes on: M-x view-model RET todos$" #'leave)
      (view-model "todos" '(:list "home"))
      (view-model-tests-said "todos goes on: C-u M-x view-model RET todos, with {\"list\":\"home\"}$" #'leave)
      (view-model-tests-answer "session/attach" (lambda (_) view-model-tests-found))
      (view-model-attach "k")
      (view-model-tests-said "todos goes on: M-x view-model-attach RET k$" #'leave))))

(ert-deftest view-model-tests-everyones-session-is-not-said-to-end ()
  (view-model-tests-with-scopes view-model-tests-found
    (cl-letf (((symbol-function 'yes-or-no-p) (lambda (words) (ert-fail words))))
      (view-model "board")
      (view-model-tests-see "*board*" "told *before")
      (view-model-tests-said "board stays for the others: M-x view-model RET board$" #'view-model-end)
      (should-not (get-buffer "*board*"))
      (should (equal '((:session 1)) (view-model-tests-sent "session/close"))))))

(ert-deftest view-model-tests-the-same-list-twice-is-two-views-of-one-session ()
  (let ((server (view-model-tests-serve "--tcp" "0")))
    (unwind-protect
        (view-model-tests-at (cdr server)
          (dolist (buffer '("*todos*" "*todos*<2>"))
            (view-model "todos" '(:list "home"))
            (view-model-tests-see buffer "remaining.*0"))
          (dolist (buffer '("*todos*" "*todos*<2>"))
            (with-current-buffer buffer (view-model-send `(:kind "add" :title ,(concat "of " buffer)))))
          (dolist (buffer '("*todos*" "*todos*<2>"))
            (view-model-tests-see buffer "remaining.*2" "of \\*todos\\*<2>"))
          (kill-buffer "*todos*<2>")
          (with-current-buffer "*todos*" (view-model-send '(:kind "add" :title "alone")))
          (view-model-tests-see "*todos*" "remaining.*3" "alone")
          (view-model "todos" '(:list "home"))
          (view-model-tests-see "*todos*<2>" "remaining.*3" "alone"))
      (view-model-tests-stop server))))

(ert-deftest view-model-tests-who-is-here ()
  "Others are named by person and program, each once, and cleaned."
  (cl-flet ((words (&rest views) (view-model--here-words (list :views (vconcat views)))))
    (should-not (words '(:program "Emacs" :you t)))
    (should (equal "here: ada (Neovim), somebody"
                   (words '(:program "Emacs" :you t) '(:principal "ada" :program "Neovim" :you :json-false)
                          '(:principal "ada" :program "Neovim" :you :json-false) '(:client "x" :you :json-false))))
    (should (equal "here: a?b, looking"
                   (words (list :program "a\nb" :access "read" :you :json-false)))))
  (should (equal "here: 1, 2, 3, 4, 5 and 2 more"
                 (view-model--here-words
                  (list :count 7 :views (vconcat (mapcar (lambda (name) (list :program name :you :json-false))
                                                         '("1" "2" "3" "4" "5" "6"))))))))

(ert-deftest view-model-tests-who-may-only-look ()
  "A key to look shows all, and offers and sends nothing."
  (let ((server (view-model-tests-serve "--tcp" "0")))
    (unwind-protect
        (view-model-tests-at (cdr server)
          (cl-flet ((refused (command &rest arguments)
                      (should (equal '(user-error "You may only look at this session")
                                     (should-error (apply command arguments) :type 'user-error)))))
            (view-model "orders" '(:count 3 :delay 0))
            (view-model-tests-see "*orders*" "Order #0")
            (with-current-buffer "*orders*"
              (view-model-copy-key)
              (view-model-copy-key t)
              (should-not (equal (car kill-ring) (cadr kill-ring))))
            (view-model-attach (car kill-ring))
            ;; Without a display nothing says that its window is there.
            (view-model--paint view-model--view)
            (view-model-tests-see "*orders*<2>" "Order #0")
            (with-current-buffer "*orders*<2>"
              (let ((header (view-model--header)))
                (should (string-search "looking only" header))
                (should-not (string-search "details" header))
                (should-not (string-search "load again" header)))
              (refused #'view-model-orders-select)
              (refused #'view-model-send-event)
              (refused #'revert-buffer)
              (refused #'view-model-end))
            (with-current-buffer "*orders*"
              (should (string-search "details" (view-model--header)))
              (goto-char (point-min))
              (view-model-orders-select))
            (view-model-tests-see "*orderDetails*<2>" "Details of Order #0" :not "edit the note")
            (with-current-buffer "*orderDetails*<2>"
              (should (string-search "q bury" (view-model--header)))
              (refused #'view-model-order-details-edit)
              (refused #'kill-buffer)
              (view-model-back))
            (view-model-tests-see "*orderDetails*" "Details of Order #0" "edit the note")))
      (view-model-tests-stop server))))

(ert-deftest view-model-tests-what-is-kept ()
  "What one may come back to is offered first, and is come back to by its key."
  (let ((now (format-time-string "%FT%TZ" nil t)))
    (view-model-tests-with-listener
        (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "todos")]))))
              (cons "session/list"
                    (lambda (params)
                      (should (eq t (plist-get params :kept)))
                      (list :sessions (vector (list :key "key-1" :viewModel "todos" :title "1 open" :views 2 :lastUsed now)
                                              (list :key "key-2" :viewModel "counter" :arguments '(:start 3)
                                                    :lastUsed "2001-02-03T04:05:06Z")))))
              (cons "session/attach" (lambda (params)
                                       (should (equal "key-1" (plist-get params :key)))
                                       '(:session 1 :viewModel "todos" :seq 7 :snapshot []))))
      (let (offered)
        (cl-letf (((symbol-function 'completing-read)
                   (lambda (_ choices &rest _)
                     (setq offered (all-completions "" choices))
                     (car offered))))
          (call-interactively #'view-model))
        (should (equal "todos: 1 open  just now  2 views" (car offered)))
        (should (string-match-p "\\`counter: {\"start\":3}  [0-9]+ days ago\\'" (nth 1 offered)))
        (should (equal "todos" (nth 2 offered)))
        (should (equal "key-1" (view-model--view-key view-model--view)))))))

(provide 'view-model-scope-tests)

;;; view-model-scope-tests.el ends here
