;;; view-model-tests.el --- Tests of the parts of view-model.el  -*- lexical-binding: t; -*-

;;; Commentary:

;; Against the server at VIEW_MODEL_ADDRESS, servers of their own (VIEW_MODEL_SERVER), and a made-up one within this
;; Emacs for what a server says seldom.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model)

(defvar view-model-tests-patience 120 "Seconds after which something is taken to hang.")

(defconst view-model-tests-folder (file-name-directory (directory-file-name (file-name-directory load-file-name)))
  "Where the package and its README are.")

;;; Waiting and reading

(defun view-model-tests-until (what is-so &optional seen)
  "Wait until IS-SO returns non-nil, and return that; WHAT says what it is.
SEEN, a function, returns what is there in its place."
  (let ((deadline (+ (float-time) view-model-tests-patience)) value)
    (while (not (setq value (funcall is-so)))
      (when (> (float-time) deadline)
        (ert-fail (format "expected: %s\nseen:\n%s" what (if seen (funcall seen) "nothing of the kind"))))
      (accept-process-output nil 0.02))
    value))

(defun view-model-tests-text (buffer)
  "Return what a user sees in BUFFER, its header line first; an empty text where there is none."
  (if (get-buffer buffer)
      (with-current-buffer buffer
        (concat (when view-model--view (string-replace "%%" "%" (substring-no-properties (view-model--header)))) "\n"
                (buffer-substring-no-properties (point-min) (point-max))))
    ""))

(defun view-model-tests-see (buffer &rest patterns)
  "Wait until BUFFER shows all PATTERNS; those after `:not' mustn't be there."
  (let ((without (cdr (memq :not patterns)))
        (wanted (cl-subseq patterns 0 (cl-position :not patterns))))
    (view-model-tests-until (format "in %s: %S, without %S" buffer wanted without)
                            (lambda ()
                              (let ((text (view-model-tests-text buffer)))
                                (cl-flet ((is-there (pattern) (string-match-p pattern text)))
                                  (and (cl-every #'is-there wanted) (cl-notany #'is-there without)))))
                            (lambda () (view-model-tests-text buffer)))))

(defun view-model-tests-below (buffer)
  "Return what a user sees below the text of BUFFER."
  (with-current-buffer buffer
    (substring-no-properties (or (overlay-get view-model--overlay 'after-string) ""))))

(defun view-model-tests-press (keys)
  "Press KEYS in the selected window."
  (set-buffer (window-buffer))
  (execute-kbd-macro (kbd keys)))

(defun view-model-tests-said (pattern function)
  "Call FUNCTION and wait until a message has PATTERN."
  (let ((start (with-current-buffer (messages-buffer) (point-max-marker))))
    (cl-flet ((said () (with-current-buffer (messages-buffer) (buffer-substring start (point-max)))))
      (funcall function)
      (view-model-tests-until (format "a message with %S" pattern)
                              (lambda () (string-match-p pattern (said)))
                              #'said))))

(defun view-model-tests-end ()
  "Kill all views, and wait until nothing of them is left."
  (dolist (server view-model--servers)
    (dolist (root (copy-sequence (view-model--server-roots server)))
      (when (buffer-live-p (view-model--view-buffer root)) (kill-buffer (view-model--view-buffer root)))))
  (view-model-tests-until "no connection is left"
                          (lambda ()
                            (cl-notany (lambda (process) (string-prefix-p "view-model-" (process-name process)))
                                       (process-list))))
  (view-model-tests-until "no buffer is left"
                          (lambda ()
                            (cl-notany (lambda (buffer) (string-match-p "view-model-[0-9]" (buffer-name buffer)))
                                       (buffer-list))))
  (delete-other-windows)
  (should-not view-model--servers))

(defmacro view-model-tests-at (address &rest body)
  "Do BODY with the server at ADDRESS, and end all views of it."
  (declare (indent 1) (debug t))
  `(let ((view-model-address ,address)
         (view-model-command (list (getenv "VIEW_MODEL_SERVER") "--stdio"))
         (view-model-token nil)
         (view-model--unsent nil))
     (unwind-protect (progn (delete-other-windows) ,@body)
       (view-model-tests-end))))

(defun view-model-tests-address ()
  "Return the address of the server that runs."
  (getenv "VIEW_MODEL_ADDRESS"))

;;; Servers of a test's own

(defun view-model-tests-serve (&rest options)
  "Start a server with OPTIONS and return its process and the address that it listens at."
  (apply #'view-model-tests-run-server (getenv "VIEW_MODEL_SERVER") options))

(defun view-model-tests-shop ()
  "Start a server with other view models under the names of examples.
Its executable is built beside that of the server that is tested."
  (let ((program (expand-file-name "Shop" (file-name-directory (getenv "VIEW_MODEL_SERVER")))))
    (unless (file-executable-p program) (ert-fail (format "%s: `swift build --product Shop' makes it" program)))
    (view-model-tests-run-server program "--tcp" "0")))

(defun view-model-tests-run-server (program &rest options)
  "Start PROGRAM with OPTIONS and return its process and the address that it listens at."
  (let* ((log (generate-new-buffer " *server log*"))
         (process (make-process :name "server" :command (cons program options)
                                :connection-type 'pipe :noquery t :buffer nil :stderr log)))
    (set-process-query-on-exit-flag (get-buffer-process log) nil)
    (cons process
          (view-model-tests-until "the server listens"
                                  (lambda ()
                                    (with-current-buffer log
                                      (goto-char (point-min))
                                      (when (re-search-forward "listening on \\(.*\\)$" nil t) (match-string 1))))))))

(defun view-model-tests-stop (server)
  "End SERVER."
  (when (process-live-p (car server)) (signal-process (car server) 'KILL))
  (view-model-tests-until "the server ended" (lambda () (not (process-live-p (car server))))))

;;; A made-up server

(defvar view-model-tests-fake-answers nil
  "The answers of the made-up server: an alist of methods and functions of the parameters that return a result.")

(defvar view-model-tests-fake-log nil
  "The messages that the made-up server received, newest first.")

(defvar view-model-tests-fake-client nil
  "The newest connection of the made-up server.")

(defun view-model-tests-say (&rest message)
  "Let the made-up server send MESSAGE."
  (let ((text (json-serialize (append '(:jsonrpc "2.0") message) :null-object nil :false-object :json-false)))
    (process-send-string view-model-tests-fake-client
                         (format "Content-Length: %d\r\n\r\n%s" (string-bytes text) text))))

(defun view-model-tests-event (seq event &rest members)
  "Let the made-up server send EVENT with number SEQ and MEMBERS."
  (view-model-tests-say :method "viewModel/event" :params (append (list :session 1 :seq seq :event event) members)))

(defun view-model-tests-fake-filter (process text)
  "Take TEXT that came on PROCESS, and answer the requests in it."
  (setq view-model-tests-fake-client process)
  (let ((rest (concat (process-get process 'rest) text)))
    (while (and (string-match "\\`Content-Length: \\([0-9]+\\)\r\n\r\n" rest)
                (let* ((start (match-end 0)) (end (+ start (string-to-number (match-string 1 rest)))))
                  (when (>= (length rest) end)
                    (view-model-tests-fake-take
                     (json-parse-string (decode-coding-string (substring rest start end) 'utf-8)
                                        :object-type 'plist :null-object nil :false-object :json-false))
                    (setq rest (substring rest end))))))
    (process-put process 'rest rest)))

(defun view-model-tests-fake-take (message)
  "Answer MESSAGE."
  (push message view-model-tests-fake-log)
  (when (equal (plist-get message :method) "exit") (delete-process view-model-tests-fake-client))
  (when-let ((method (plist-get message :method)) (id (plist-get message :id)))
    (let* ((answer (cdr (assoc method view-model-tests-fake-answers)))
           (result (if answer (funcall answer (plist-get message :params)))))
      (unless (eq result 'nothing)
        (if (eq (car-safe result) 'error)
            (view-model-tests-say :id id :error (cdr result))
          (view-model-tests-say :id id :result result))))))

(defun view-model-tests-sent (method)
  "Return the parameters of what was sent with METHOD, oldest first."
  (nreverse (cl-loop for message in view-model-tests-fake-log
                     when (equal (plist-get message :method) method) collect (plist-get message :params))))

(defun view-model-tests-last-request (method)
  "Return the id and the parameters of the newest request that was sent with METHOD."
  (let ((message (cl-find method view-model-tests-fake-log :key (lambda (message) (plist-get message :method))
                          :test #'equal)))
    (cons (plist-get message :id) (plist-get message :params))))

(defun view-model-tests-answer-late (method result)
  "Let the made-up server answer the newest request that was sent with METHOD, with RESULT."
  (view-model-tests-say :id (car (view-model-tests-last-request method)) :result result))

(defun view-model-tests-sent-numbers ()
  "Return the numbers and values of the events that were sent, oldest first."
  (mapcar (lambda (params) (list (plist-get params :number) (plist-get (plist-get params :event) :value)))
          (view-model-tests-sent "view/event")))

(defmacro view-model-tests-with-listener (answers &rest body)
  "Do BODY with a made-up server that has ANSWERS, at which Emacs connects."
  (declare (indent 1) (debug t))
  `(let* ((view-model-tests-fake-log nil)
          (view-model-tests-fake-answers ,answers)
          (listener (make-network-process :name "fake" :server t :host "127.0.0.1" :family 'ipv4 :service t :noquery t
                                          :coding 'binary :filter #'view-model-tests-fake-filter)))
     (unwind-protect
         (view-model-tests-at (format "127.0.0.1:%d" (process-contact listener :service))
           ,@body)
       (dolist (process (process-list))
         (when (string-prefix-p "fake" (process-name process)) (delete-process process))))))

(defmacro view-model-tests-while-cut (&rest body)
  "Cut the connection to the made-up server, and let it come back only after BODY."
  (declare (indent 0))
  `(progn
     (cl-letf (((symbol-function 'view-model--delay) (lambda (_) 3600)))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-until
        "the cut" (lambda () (eq 'waiting (view-model--server-state (car view-model--servers))))))
     ,@body
     (with-current-buffer "*thing*" (view-model-reload))))

(defmacro view-model-tests-with-fake (&rest body)
  "Do BODY with a made-up server, on which a view model is opened."
  (declare (indent 0) (debug t))
  `(view-model-tests-with-listener
       (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "thing")]))))
             (cons "session/open" (lambda (_) '(:session 1 :key "k" :viewModel "thing")))
             (cons "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 1)))
             (cons "view/event" (lambda (_) '(:seq 1))))
     (view-model "thing")
     (view-model-tests-until "the session is open" (lambda () (view-model--view-session view-model--view)))
     (view-model-tests-event 1 '(:kind "first" :value 1))
     (view-model-tests-see "*thing*" "first  1")
     ,@body))

;;; Messages of a server

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

(ert-deftest view-model-tests-warnings-of-the-server-are-shown ()
  (view-model-tests-with-fake
    (view-model-tests-said "server: mind the step"
                           (lambda () (view-model-tests-say :method "window/logMessage"
                                                            :params '(:type 2 :message "mind the step"))))))

(ert-deftest view-model-tests-a-broken-mode-does-not-stop-the-others ()
  (view-model-tests-with-fake
    (with-current-buffer "*thing*" (setq view-model-event-function (lambda (_) (error "Oops"))))
    (let ((debug-on-error nil))
      (view-model-tests-event 2 '(:kind "second"))
      (view-model-tests-see "*thing*" "the view fails: Oops"))
    (with-current-buffer "*thing*" (setq view-model-event-function #'view-model-generic--take))
    (view-model-tests-event 3 '(:kind "third" :value 3))
    (view-model-tests-see "*thing*" "third *3")))

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

;;; Events that weren't sent

(defun view-model-tests-unsent ()
  "Return what wasn't sent: for each event its view, its value, and whether it was sent and not answered."
  (mapcar (lambda (unsent)
            (list (view-model--unsent-label unsent) (plist-get (view-model--unsent-event unsent) :value)
                  (view-model--unsent-was-sent unsent)))
          view-model--unsent))

(defun view-model-tests-answer (method answer)
  "Let the made-up server ANSWER METHOD, by a function of the parameters."
  (setf (alist-get method view-model-tests-fake-answers nil nil #'equal) answer))

(ert-deftest view-model-tests-a-session-that-nobody-waits-for-is-left ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/open" (lambda (_) 'nothing))
    (view-model "thing")
    (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
    (kill-buffer)
    (view-model-tests-answer-late "session/open" '(:session 2 :key "k2" :viewModel "thing"))
    (view-model-tests-until "a detaching" (lambda () (member '(:session 2) (view-model-tests-sent "session/detach"))))
    (should-not (view-model-tests-sent "session/close"))))

(ert-deftest view-model-tests-what-is-sent-while-a-session-is-opened-follows-it ()
  (view-model-tests-with-fake
    (view-model-tests-answer "session/open" (lambda (_) 'nothing))
    (view-model "thing")
    (view-model-tests-until "the open" (lambda () (cdr (view-model-tests-sent "session/open"))))
    (view-model-send '(:kind "do" :value 7))
    (view-model-tests-answer-late "session/open" '(:session 2 :key "k2" :viewModel "thing"))
    (view-model-tests-until "the event" (lambda () (view-model-tests-sent "view/event")))
    (should (equal '((1 7)) (view-model-tests-sent-numbers)))))

;;; Names, and views elsewhere

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

;;; Servers that say nothing

;;; Servers whose store can't be used

(ert-deftest view-model-tests-a-server-that-talks-of-other-things-is-asked-too ()
  (let (asked)
    (cl-letf* (((symbol-function 'run-at-time) #'ignore)
               (watch (view-model-watch-make :ask (lambda () (push 'asked asked))
                                             :silent (lambda () (push 'silent asked)))))
      (view-model-watch-begin watch)
      (dotimes (_ (* 2 view-model-watch--patience))
        (view-model-watch-heard watch)
        (view-model-watch--look watch)))
    (should (equal '(asked asked) asked))))

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

;;; Sending

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

(ert-deftest view-model-tests-only-the-last-events-are-kept ()
  (view-model-tests-at (view-model-tests-address)
    (view-model "counter")
    (view-model-tests-see "*counter*" "count  0")
    (dotimes (_ 30) (view-model-send '(:kind "increment" :by 1)))
    (view-model-tests-see "*counter*" "  31 count  30\n" "  12 count  11\n\\'" :not "  11 count")))

;;; Views on screen

(defun view-model-tests-open-orders (&rest arguments)
  "Open orders with ARGUMENTS and wait until they are there."
  (view-model "orders" (append arguments '(:delay 0)))
  (view-model-tests-see "*orders*" "Order #0\n"))

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

(ert-deftest view-model-tests-a-key-that-nobody-has ()
  (view-model-tests-at (view-model-tests-address)
    (let ((error (should-error (view-model-attach "AAAAAAAAAAAAAAAAAAAAAA") :type 'user-error)))
      (should (string-match-p "no session with this key" (cadr error))))))

;;; Connections

(ert-deftest view-model-tests-a-token-is-shown ()
  (let* ((process-environment (cons "VIEW_MODEL_SERVER_TOKEN=sesame-and-poppies" process-environment))
         (server (view-model-tests-serve "--tcp" "0")))
    (unwind-protect
        (view-model-tests-at (cdr server)
          (let* ((view-model-token "barley")
                 (error (should-error (view-model "counter") :type 'user-error)))
            (should (string-match-p "token" (cadr error))))
          (let ((view-model-token (lambda () "sesame-and-poppies")))
            (view-model "counter")
            (view-model-tests-see "*counter*" "count  0")))
      (view-model-tests-stop server))))

(ert-deftest view-model-tests-nobody-at-the-address ()
  (let* ((listener (make-network-process :name "taken" :server t :host "127.0.0.1" :family 'ipv4 :service t))
         (port (process-contact listener :service)))
    (delete-process listener)
    (view-model-tests-at (format "127.0.0.1:%d" port)
      (should (string-match-p "No connection: nobody answers at 127"
                              (cadr (should-error (view-model "counter") :type 'user-error)))))
    (view-model-tests-at "/no/such/socket"
      (should (equal "No connection: make client process failed: No such file or directory"
                     (cadr (should-error (view-model "counter") :type 'user-error)))))))

(ert-deftest view-model-tests-somebody-else-at-the-address ()
  "One that takes the connection and says nothing."
  (let ((listener (make-network-process :name "mute" :server t :host "127.0.0.1" :family 'ipv4 :service t :noquery t))
        (view-model-timeout 0.01))
    (unwind-protect
        (view-model-tests-at (format "127.0.0.1:%d" (process-contact listener :service))
          (should (string-match-p "No connection: the server doesn.t answer"
                                  (cadr (should-error (view-model "counter") :type 'user-error)))))
      (dolist (process (process-list))
        (when (string-prefix-p "mute" (process-name process)) (delete-process process))))))

(ert-deftest view-model-tests-a-name-as-an-address ()
  (view-model-tests-at (replace-regexp-in-string "\\`127\\.0\\.0\\.1" "localhost" (view-model-tests-address))
    (view-model "hello")
    (view-model-tests-see "*hello*" "helloText")))

(defun view-model-tests-take-example (mode)
  "Do what the README says for MODE, one of one's own."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "README.md" view-model-tests-folder))
    (re-search-forward (concat "^(define-derived-mode " mode))
    (let ((start (match-beginning 0)))
      (re-search-forward "^```$")
      (eval-region start (match-beginning 0)))))

(defmacro view-model-tests-with-shop (&rest body)
  "Do BODY with a server of other view models under the names of examples."
  (declare (indent 0) (debug t))
  `(let ((shop (view-model-tests-shop)))
     (unwind-protect (view-model-tests-at (cdr shop) ,@body)
       (view-model-tests-stop shop))))

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

(ert-deftest view-model-tests-another-server-at-the-same-address ()
  (let* ((shop (view-model-tests-shop))
         (port (car (last (split-string (cdr shop) ":"))))
         server)
    (unwind-protect
        (view-model-tests-at (cdr shop)
          (view-model "orders")
          (view-model-tests-see "*orders*" "orders .*Ada")
          (view-model-tests-stop shop)
          (view-model-tests-see "*orders*" "reconnecting")
          (setq server (view-model-tests-serve "--tcp" port))
          (view-model-tests-see "*orders*" "its session is gone; g opens it again")
          (with-current-buffer "*orders*" (view-model-reload))
          (view-model-tests-see "*orders*" "RET details" "100 orders" :not "Newest"))
      (when (process-live-p (car shop)) (view-model-tests-stop shop))
      (when server (view-model-tests-stop server)))))

(ert-deftest view-model-tests-messages-that-are-taken-later ()
  "As newer versions of jsonrpc take them: each from a timer of its own."
  (let ((later (lambda (receive &rest arguments) (apply #'run-at-time 0 nil receive arguments))))
    (unwind-protect
        (view-model-tests-at (view-model-tests-address)
          (advice-add 'jsonrpc-connection-receive :around later)
          (view-model-tests-open-orders :count 9)
          (view-model-tests-press "M-< RET")
          (view-model-tests-see "*orderDetails*" "Details of Order #0")
          (view-model-tests-press "c")
          (view-model-tests-see "*confirmCancel*" "Cancel Order #0\\?")
          (view-model-tests-press "y")
          (view-model-tests-see "*orderDetails*" "State  cancelled"))
      (advice-remove 'jsonrpc-connection-receive later))))

;;; Questions to the user

(defun view-model-tests-read (keys schema &optional definitions)
  "Return the event that KEYS make where SCHEMA asks for it; see DEFINITIONS."
  (let (event)
    (with-temp-buffer
      (let ((map (make-sparse-keymap)))
        (define-key map (kbd "<f9>")
          (lambda () (interactive) (setq event (view-model--read-event schema definitions))))
        (use-local-map map)
        (set-window-buffer (selected-window) (current-buffer))
        (execute-kbd-macro (kbd (concat "<f9> " keys)))))
    (json-encode event)))

(ert-deftest view-model-tests-members-are-asked-for-by-their-schema ()
  (cl-flet ((event (&rest properties)
              `(:oneOf [(:type "object" :required ["kind" "a"] :properties (:kind (:const "do") ,@properties))])))
    (let ((definitions '(:Int (:type "integer") :Color (:type "string" :enum ["red" "blue"])
                         :Point (:type "object" :required ["x"] :properties (:x (:$ref "#/$defs/Int")
                                                                             :y (:type "number")))
                         :Shape (:oneOf [(:type "object" :required ["kind"] :properties (:kind (:const "none")))
                                         (:type "object" :required ["kind" "r"]
                                          :properties (:kind (:const "circle") :r (:type "number")))]))))
      (pcase-dolist
          (`(,keys ,properties ,expected)
           '(("RET 7 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":7}")
             ("RET 1.5 RET 2 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":2}")
             ("RET 9223372036854775807 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":9223372036854775807}")
             ("RET RET" (:a (:type "string")) "{\"kind\":\"do\",\"a\":\"\"}")
             ("RET ü SPC \" RET" (:a (:type "string")) "{\"kind\":\"do\",\"a\":\"ü \\\"\"}")
             ("RET false RET" (:a (:type "boolean")) "{\"kind\":\"do\",\"a\":false}")
             ("RET true RET" (:a (:type "boolean")) "{\"kind\":\"do\",\"a\":true}")
             ("RET 2 RET" (:a (:type "integer" :enum [1 2])) "{\"kind\":\"do\",\"a\":2}")
             ("RET blue RET" (:a (:$ref "#/$defs/Color")) "{\"kind\":\"do\",\"a\":\"blue\"}")
             ("RET [1,null,{}] RET" (:a (:type "array")) "{\"kind\":\"do\",\"a\":[1,null,null]}")
             ("RET 1 RET 2.5 RET" (:a (:$ref "#/$defs/Point")) "{\"kind\":\"do\",\"a\":{\"x\":1,\"y\":2.5}}")
             ("RET 1 RET RET" (:a (:$ref "#/$defs/Point")) "{\"kind\":\"do\",\"a\":{\"x\":1}}")
             ("RET circle RET 3 RET" (:a (:$ref "#/$defs/Shape"))
              "{\"kind\":\"do\",\"a\":{\"kind\":\"circle\",\"r\":3}}")
             ("RET RET RET" (:b (:type ["number" "null"]) :c (:anyOf [(:$ref "#/$defs/Int") (:type "null")]))
              "{\"kind\":\"do\"}")
             ("RET 0.2 RET 4 RET" (:b (:type ["number" "null"]) :c (:anyOf [(:$ref "#/$defs/Int") (:type "null")]))
              "{\"kind\":\"do\",\"b\":0.2,\"c\":4}")
             ("RET n" (:b (:$ref "#/$defs/Point")) "{\"kind\":\"do\"}")
             ("RET \"any\" RET" (:a (:description "Anything.")) "{\"kind\":\"do\",\"a\":\"any\"}")))
        (ert-info ((format "%S" properties))
          (should (equal expected (view-model-tests-read keys (apply #'event properties) definitions)))))
      (should (equal "{\"kind\":\"x\"}" (view-model-tests-read "{\"kind\":\"x\"} RET" '(:type "object"))))
      (should (equal "{\"kind\":\"stop\"}"
                     (view-model-tests-read "stop RET" '(:type "object" :properties
                                                         (:kind (:enum ["start" "stop"])))))))))

(defun view-model-tests-run ()
  "Run all tests and end Emacs with their outcome."
  (ert-run-tests-batch-and-exit "^view-model-tests-"))

(provide 'view-model-tests)

;;; view-model-tests.el ends here
