;;; view-model-connection-tests.el --- Tests of connections  -*- lexical-binding: t; -*-

;;; Commentary:

;; Addresses, tokens, and servers that come and go.

;;; Code:

(require 'ert)
(require 'view-model-testing)

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

(ert-deftest view-model-tests-warnings-of-the-server-are-shown ()
  (view-model-tests-with-fake
    (view-model-tests-said "server: mind the step"
                           (lambda () (view-model-tests-say :method "window/logMessage"
                                                            :params '(:type 2 :message "mind the step"))))))

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

(provide 'view-model-connection-tests)

;;; view-model-connection-tests.el ends here
