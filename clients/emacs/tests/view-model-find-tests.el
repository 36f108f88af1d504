;;; view-model-find-tests.el --- Tests of the finder's picker  -*- lexical-binding: t; -*-

;;; Commentary:

;; With the made-up server of view-model-testing.el for what comes late or from others, and with a server in a folder of
;; these tests.  Keys are pressed in the minibuffer.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-find)
(require 'view-model-testing)

;;; Keys

(defvar view-model-tests-holds nil
  "Whether the made-up finder keeps its answers back.")

(defvar view-model-tests-steps nil
  "What is still to be done in the minibuffer, functions.")

(defvar view-model-tests-step-failure nil
  "The error of a step, or nil.")

(defun view-model-tests-step ()
  "Do the next step."
  (interactive)
  (condition-case problem
      (with-current-buffer (window-buffer (minibuffer-selected-window)) (funcall (pop view-model-tests-steps)))
    (error (setq view-model-tests-step-failure problem)
           (abort-recursive-edit))))

(defun view-model-tests-typing (begin &rest steps)
  "Call BEGIN, which reads in the minibuffer, and there do STEPS: keys, or functions.
Return whether it was left by C-g."
  (set-buffer (window-buffer))
  (unless view-model-tests-holds (view-model-tests-settled))
  (let ((view-model-tests-steps (seq-filter #'functionp steps))
        (view-model-tests-step-failure nil)
        (map (current-global-map))
        (is-quit t))
    (define-key view-model-find-map [f9] #'view-model-tests-step)
    (define-key map [f8] (lambda () (interactive) (funcall begin) (setq is-quit nil)))
    (unwind-protect
        (condition-case nil
            (execute-kbd-macro (vconcat [f8] (seq-mapcat (lambda (step) (if (stringp step) (kbd step) [f9])) steps
                                                         'vector)))
          (quit))
      (define-key map [f8] nil)
      (define-key view-model-find-map [f9] nil))
    (when view-model-tests-step-failure
      (signal (car view-model-tests-step-failure) (cdr view-model-tests-step-failure)))
    is-quit))

(defun view-model-tests-until-left ()
  "Wait until the minibuffer is left, which ends this function too."
  (view-model-tests-until "the minibuffer is left" #'ignore))

(defmacro view-model-tests-seeing (&rest patterns)
  "Return a step that waits until the results show PATTERNS."
  `(lambda () (view-model-tests-see "*finder*" ,@patterns)))

(defun view-model-tests-settled ()
  "Wait until all that was searched is answered."
  (when-let ((buffer (get-buffer "*finder*")))
    (view-model-tests-until "all is answered"
                            (lambda () (with-current-buffer buffer (not (view-model-find--is-asking)))))))

(defun view-model-tests-typed ()
  "Return what is in the minibuffer."
  (with-current-buffer (window-buffer (active-minibuffer-window)) (minibuffer-contents)))

(defun view-model-tests-current ()
  "Return the line of the current result."
  (with-current-buffer "*finder*"
    (view-model--paint view-model--view)
    (buffer-substring-no-properties (line-beginning-position) (line-end-position))))

;;; A made-up finder

(defvar view-model-tests-number 0
  "The number of the last event of the made-up finder.")

(defvar view-model-tests-held nil
  "The ids of the requests that the made-up finder doesn't answer yet, newest first.")

(defun view-model-tests-tell (&rest event)
  "Let the made-up finder send EVENT."
  (view-model-tests-event (cl-incf view-model-tests-number) event))

(defun view-model-tests-result (path &optional line text matches)
  "Return the result PATH, with LINE and its TEXT where they are given, and MATCHES, a list of (START . END)."
  `( :id ,(if line (format "%s:%d" path line) path) :path ,path ,@(when line (list :line line :text text))
     :matches ,(vconcat (mapcar (lambda (match) (list :start (car match) :end (cdr match))) matches))))

(defun view-model-tests-tell-results (&rest results)
  "Let the made-up finder send RESULTS, each a path or a row."
  (let ((rows (vconcat (mapcar (lambda (result) (if (stringp result) (view-model-tests-result result) result))
                               results))))
    (view-model-tests-tell :kind "results" :count (length rows) :first 0 :rows rows)
    (view-model-tests-tell :kind "matches" :count (length rows) :isComplete t)))

(defun view-model-tests-tell-query (text &optional mode)
  "Let the made-up finder say that it searches TEXT in MODE."
  (view-model-tests-tell :kind "query" :text text :mode (or mode "files")))

(defun view-model-tests-answer-held (&optional error)
  "Let the made-up finder answer what it kept back, with ERROR where that is given."
  (dolist (id (nreverse view-model-tests-held))
    (if error
        (view-model-tests-say :id id :error error)
      (view-model-tests-say :id id :result (list :seq view-model-tests-number))))
  (setq view-model-tests-held nil))

(defun view-model-tests-events ()
  "Return what the made-up finder was sent, oldest first."
  (mapcar (lambda (params) (plist-get params :event)) (view-model-tests-sent "view/event")))

(defun view-model-tests-until-sent (&rest event)
  "Wait until EVENT is the last one that was sent."
  (view-model-tests-until (format "%S is sent last, after %S" event (view-model-tests-events))
                          (lambda () (equal event (car (last (view-model-tests-events)))))))

(defmacro view-model-tests-with-finder (&rest body)
  "Do BODY with a made-up server that has a finder, of 3 files in the beginning."
  (declare (indent 0) (debug t))
  `(let ((view-model-tests-number 0) (view-model-tests-held nil) (view-model-tests-holds nil))
     (view-model-tests-with-listener
         (list (cons "initialize"
                     (lambda (_)
                       '( :capabilities
                          ( :viewModels [(:name "finder" :type "Examples.FinderViewModel")]
                            :children [(:name "finderPreview" :type "Examples.FinderPreviewViewModel")]))))
               (cons "session/open"
                     (lambda (_)
                       (run-at-time 0 nil (lambda ()
                                            (view-model-tests-tell-query "")
                                            (view-model-tests-tell :kind "scanning" :files 3 :directories 1 :isDone t)
                                            (view-model-tests-tell-results "a.txt" "b.txt" "c.txt")))
                       '(:session 1 :key "k" :viewModel "finder")))
               (cons "view/event"
                     (lambda (params)
                       (if (not view-model-tests-holds)
                           (let ((event (plist-get params :event)))
                             ;; What is searched is told before the answer.
                             (when (equal "query" (plist-get event :kind))
                               (view-model-tests-tell-query (plist-get event :text)))
                             (list :seq view-model-tests-number))
                         (push (plist-get (car view-model-tests-fake-log) :id) view-model-tests-held)
                         'nothing))))
       ,@body)))

(ert-deftest view-model-tests-find-sends-each-key-and-shows-what-comes ()
  (view-model-tests-with-finder
    (should (view-model-tests-typing
             #'view-model-find
             (view-model-tests-seeing "finder  3 files" "^a.txt\nb.txt\nc.txt\\'")
             (lambda () (setq view-model-tests-holds t))
             "x y"
             (lambda ()
               (view-model-tests-until-sent :kind "query" :text "xy")
               (should (equal '((:kind "query" :text "x") (:kind "query" :text "xy")) (view-model-tests-events)))
               (view-model-tests-tell-query "xy")
               (view-model-tests-tell-results (view-model-tests-result "döxy/xä" nil nil '((3 . 5) (7 . 9))))
               (view-model-tests-see "*finder*" "^döxy/xä\\'" "1 of 3 files")
               (with-current-buffer "*finder*"
                 (goto-char (point-min))
                 (should (equal '(nil nil t t nil nil t)
                                (mapcar (lambda (at) (and (get-text-property at 'face) t)) (number-sequence 1 7)))))
               (view-model-tests-answer-held '(:code -32800 :message "no" :data (:superseded t))))
             "C-g"))
    ;; It is kept, and has all files the next time.
    (view-model-tests-until-sent :kind "query" :text "")
    (should (equal '("*scratch*") (mapcar (lambda (window) (buffer-name (window-buffer window))) (window-list))))
    (setq view-model-tests-holds nil)
    (view-model-tests-answer-held)
    (view-model-tests-tell-query "")
    (view-model-tests-tell-results "a.txt" "b.txt" "c.txt")
    (should (view-model-tests-typing #'view-model-find (view-model-tests-seeing "^a.txt\nb.txt") "C-g"))
    (should (= 1 (length (view-model-tests-sent "session/open"))))))

(ert-deftest view-model-tests-find-stays-on-the-row-that-the-user-went-to ()
  (view-model-tests-with-finder
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt\nb.txt")
     (lambda ()
       ;; Nobody went anywhere: the best is the first.
       (view-model-tests-tell-results "0.txt" "a.txt" "b.txt" "c.txt")
       (view-model-tests-see "*finder*" "^0.txt")
       (should (equal "0.txt" (view-model-tests-current))))
     "C-n C-n"
     (lambda ()
       (should (equal "b.txt" (view-model-tests-current)))
       (view-model-tests-tell-results "00.txt" "0.txt" "a.txt" "b.txt" "c.txt")
       (view-model-tests-see "*finder*" "^00.txt")
       (should (equal "b.txt" (view-model-tests-current))))
     "x"
     (lambda ()
       (should (equal "00.txt" (view-model-tests-current)))
       (view-model-tests-tell-query "x")
       (view-model-tests-tell-results "bx" "b.txt")
       (view-model-tests-see "*finder*" "^bx")
       (should (equal "bx" (view-model-tests-current))))
     "<down> <down> <down>"
     (lambda () (should (equal "b.txt" (view-model-tests-current))))
     "<up> <next>"
     (lambda () (should (equal "b.txt" (view-model-tests-current))))
     "M-<"
     (lambda () (should (equal "bx" (view-model-tests-current))))
     "C-g")))

(ert-deftest view-model-tests-find-chooses-of-what-was-typed ()
  (let ((file (make-temp-file "found")))
    (unwind-protect
        (view-model-tests-with-finder
          (should-not (view-model-tests-typing
                       #'view-model-find
                       (view-model-tests-seeing "^a.txt")
                       (lambda () (setq view-model-tests-holds t))
                       "f RET"
                       (lambda ()
                         (view-model-tests-see "*finder*" "visits the first when it is here")
                         (view-model-tests-until-sent :kind "query" :text "f")
                         (view-model-tests-tell-query "f")
                         (view-model-tests-tell-results "found" "other")
                         (view-model-tests-until-sent :kind "accept" :index 0 :id "found")
                         (view-model-tests-tell :kind "accepted" :path file :uri (concat "file://" file))
                         (view-model-tests-until-left))))
          (should (equal file (buffer-file-name (window-buffer))))
          (should (= 1 (length (window-list))))
          (kill-buffer (window-buffer)))
      (delete-file file))))

(ert-deftest view-model-tests-find-leaves-decisions-of-others-alone ()
  (view-model-tests-with-finder
    (should (view-model-tests-typing
             #'view-model-find
             (view-model-tests-seeing "^a.txt")
             (lambda ()
               (view-model-tests-tell :kind "accepted" :path "/etc/passwd" :uri "file:///etc/passwd")
               (view-model-tests-tell-results "z.txt")
               (view-model-tests-see "*finder*" "^z.txt"))
             "C-g"))))

(ert-deftest view-model-tests-find-begins-anew-in-a-session-that-it-finds ()
  (view-model-tests-with-finder
    (view-model-tests-answer
     "session/open"
     (lambda (_)
       (setq view-model-tests-number 7)
       '( :session 1 :key "k" :viewModel "finder" :isNew :json-false :seq 7
          :snapshot [ (:kind "query" :text "of before" :mode "text")
                      (:kind "scanning" :files 3 :directories 1 :isDone t)
                      (:kind "matches" :count 0 :isComplete t)]
          :navigation (:stack [(:viewModel "finderPreview" :key "k2")]))))
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 2 :viewModel "finderPreview" :seq 0)))
    (setq view-model-tests-holds t)
    (view-model-tests-typing
     #'view-model-find
     (lambda ()
       (view-model-tests-until-sent :kind "query" :text "")
       (should (equal '((:kind "mode" :value "files") (:kind "query" :text "")) (view-model-tests-events)))
       (view-model-tests-tell-query "")
       (view-model-tests-tell-results "a.txt")
       (view-model-tests-answer-held)
       (view-model-tests-see "*finder*" "^a.txt\\'")
       (should (equal "" (view-model-tests-typed))))
     ;; The preview of another client is there, and is shown when it is wanted.
     "TAB"
     (lambda ()
       (view-model-tests-until-sent :kind "preview" :index 0 :id "a.txt")
       (view-model-tests-until "the preview" (lambda () (get-buffer-window "*finderPreview*"))))
     "C-g")
    (view-model-tests-until "the preview was told" (lambda () (member '(:kind "close") (view-model-tests-events))))))

(ert-deftest view-model-tests-find-leaves-the-preview-of-others-alone ()
  (view-model-tests-with-finder
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 2 :viewModel "finderPreview" :seq 0)))
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     (lambda ()
       (view-model-tests-say :method "navigation/push"
                             :params (list :session 1 :seq (cl-incf view-model-tests-number)
                                           :viewModel "finderPreview" :key "k2"))
       (view-model-tests-until "the preview" (lambda () (get-buffer "*finderPreview*"))))
     "x" (lambda () (view-model-tests-until-sent :kind "query" :text "x"))
     "C-g")
    (view-model-tests-until-sent :kind "query" :text "")
    (should-not (member '(:kind "close") (view-model-tests-events)))))

(ert-deftest view-model-tests-find-takes-over-what-others-type ()
  (view-model-tests-with-finder
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     (lambda ()
       (view-model-tests-tell-query "of others" "text")
       (view-model-tests-until "the text of others"
                               (lambda ()
                                 (and (equal "of others" (view-model-tests-typed))
                                      (with-current-buffer (window-buffer (active-minibuffer-window))
                                        (equal "Find text: " (get-text-property (point-min) 'display))))))
       (should-not (view-model-tests-events))
       (setq view-model-tests-holds t))
     "x"
     (lambda ()
       ;; One's own is on its way.
       (view-model-tests-until-sent :kind "query" :text "of othersx")
       (view-model-tests-tell-query "too early" "text")
       (view-model-tests-tell :kind "note" :message "so far")
       (view-model-tests-see "*finder*" "so far")
       (view-model-tests-tell-query "of othersx" "text")
       (view-model-tests-tell-results (view-model-tests-result "a.txt" 3 "of othersx" '((0 . 9))))
       (view-model-tests-see "*finder*" "^a.txt:3:of othersx\\'")
       (should (equal "of othersx" (view-model-tests-typed)))
       ;; Another view was faster than the answer to one's own.
       (view-model-tests-tell-query "later" "text")
       (view-model-tests-answer-held '(:code -32800 :message "no" :data (:superseded t)))
       (view-model-tests-until "the later text" (lambda () (equal "later" (view-model-tests-typed)))))
     "C-g")))

(ert-deftest view-model-tests-find-chooses-by-mouse ()
  (view-model-tests-with-finder
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     (lambda ()
       (let* ((window (get-buffer-window "*finder*"))
              (place (with-current-buffer "*finder*" (goto-char (point-min)) (search-forward "c.txt"))))
         (view-model-find-mouse-accept (list 'mouse-1 (list window place '(0 . 0) 0 nil place))))
       (view-model-tests-until-sent :kind "accept" :index 2 :id "c.txt"))
     "C-g")))

(ert-deftest view-model-tests-find-hides-the-rows-of-another-mode ()
  (view-model-tests-with-finder
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     (lambda () (setq view-model-tests-holds t))
     "t C-t"
     (lambda ()
       (view-model-tests-until-sent :kind "mode" :value "text")
       (view-model-tests-see "*finder*" "C-t regex" :not "a\\.txt")
       (view-model-tests-tell-query "t" "text")
       (view-model-tests-tell :kind "matches" :count 0 :isComplete :json-false)
       (view-model-tests-see "*finder*" "0 lines…" :not "a\\.txt")
       (view-model-tests-tell-results (view-model-tests-result "a.txt" 1200 "tomato" '((0 . 1))))
       (view-model-tests-tell :kind "matches" :count 2310 :isComplete :json-false)
       (view-model-tests-see "*finder*" "2,310 lines…" "^a.txt:1200:tomato\\'")
       (view-model-tests-tell :kind "failed" :message "that can't be searched")
       (view-model-tests-see "*finder*" "that can't be searched" :not "lines"))
     "C-g")))

(ert-deftest view-model-tests-find-sends-the-newest-text-after-a-cut ()
  (view-model-tests-with-finder
    (view-model-tests-answer "session/attach"
                             (lambda (_) (list :session 1 :viewModel "finder" :seq view-model-tests-number)))
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     (lambda ()
       (view-model-tests-answer "initialize" (lambda (_) 'nothing))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-see "*finder*" "connect"))
     "x y C-n z"
     (lambda ()
       (should-not (view-model-tests-events))
       (should-not (view-model--waiting (buffer-local-value 'view-model--view (get-buffer "*finder*"))))
       (view-model-tests-answer "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "finder")]))))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-until-sent :kind "query" :text "xyz")
       (should (= 1 (length (view-model-tests-events))))
       (view-model-tests-answer "initialize" (lambda (_) 'nothing))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-see "*finder*" "connect"))
     "q"
     (lambda ()
       ;; The server is another one by now.  Nobody wants to hear of what was typed.
       (view-model-tests-answer "session/attach" (lambda (_) '(error :code -32012 :message "there is no session")))
       (view-model-tests-answer "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "finder")]))))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-see "*finder*" "its session is gone; C-c C-r opens it again")
       (should (equal "xyzq" (view-model-tests-typed)))
       (should-not view-model--unsent))
     "C-g")))

(ert-deftest view-model-tests-find-opens-a-session-that-has-ended ()
  (view-model-tests-with-finder
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     "x"
     (lambda ()
       (view-model-tests-say :method "session/closed" :params '(:session 1 :reason "failed"))
       (view-model-tests-see "*finder*" "it failed; C-c C-r opens it again"))
     "y"
     (lambda ()
       (should (equal "xy" (view-model-tests-typed)))
       (should (= 1 (length (view-model-tests-events))))
       (setq view-model-tests-number 0))
     "C-c C-r"
     (lambda ()
       (view-model-tests-until-sent :kind "query" :text "xy")
       (should (equal "xy" (view-model-tests-typed)))
       (view-model-tests-see "*finder*" "3 files"))
     "C-g")
    (should-not view-model--unsent)))

(ert-deftest view-model-tests-find-shows-and-closes-a-preview ()
  (view-model-tests-with-finder
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 2 :viewModel "finderPreview" :seq 0)))
    (view-model-tests-typing
     #'view-model-find
     (view-model-tests-seeing "^a.txt")
     "TAB"
     (lambda ()
       (view-model-tests-until-sent :kind "preview" :index 0 :id "a.txt")
       (view-model-tests-say :method "navigation/push"
                             :params (list :session 1 :seq (cl-incf view-model-tests-number)
                                           :viewModel "finderPreview" :key "k2"))
       (view-model-tests-until "the preview" (lambda () (view-model-tests-sent "session/attach")))
       (cl-flet ((tell (number &rest event)
                   (view-model-tests-say :method "viewModel/event" :params (list :session 2 :seq number :event event)))
                 (lines (count text)
                   (vconcat (cl-loop for id from 1 to count collect (list :id id :text text)))))
         (tell 1 :kind "file" :path "a.txt" :line 30)
         (tell 2 :kind "lines" :count 10 :first 0 :rows (lines 10 "near"))
         (view-model-tests-see "*finderPreview*" "a.txt:30" "^ 1  near")
         (tell 3 :kind "lines" :count 40 :first 0 :rows (lines 40 "far"))
         (view-model-tests-see "*finderPreview*" "^30  far" :not "^ 1  far"))
       (should (equal "*finderPreview*" (buffer-name (window-buffer (minibuffer-selected-window)))))
       ;; Another view closes it.
       (view-model-tests-say :method "navigation/pop"
                             :params (list :session 1 :seq (cl-incf view-model-tests-number) :key "k2"))
       (view-model-tests-until "the preview is gone" (lambda () (not (get-buffer "*finderPreview*"))))
       (should (equal "*scratch*" (buffer-name (window-buffer (minibuffer-selected-window)))))
       (should-not (member '(:kind "close") (view-model-tests-events))))
     "TAB"
     (lambda ()
       (view-model-tests-until "another preview is asked for" (lambda () (= 2 (length (view-model-tests-events)))))
       (view-model-tests-say :method "navigation/push"
                             :params (list :session 1 :seq (cl-incf view-model-tests-number)
                                           :viewModel "finderPreview" :key "k2"))
       (view-model-tests-until "the preview" (lambda () (get-buffer-window "*finderPreview*"))))
     "C-n"
     (lambda () (view-model-tests-until-sent :kind "preview" :index 1 :id "b.txt"))
     "C-g")
    (view-model-tests-until "the preview was told" (lambda () (member '(:kind "close") (view-model-tests-events))))
    (should (equal "*scratch*" (buffer-name (window-buffer))))
    (view-model-tests-say :method "navigation/pop"
                          :params (list :session 1 :seq (cl-incf view-model-tests-number) :key "k2"))
    (view-model-tests-until "the preview is gone" (lambda () (not (get-buffer "*finderPreview*"))))
    (should (equal "*scratch*" (buffer-name (window-buffer))))))

(ert-deftest view-model-tests-find-needs-a-finder ()
  (view-model-tests-with-listener
      (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "finder" :type "Shop.Finder")])))))
    (should (string-match-p "another one" (cadr (should-error (view-model-find) :type 'user-error)))))
  (view-model-tests-with-listener
      (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "thing")])))))
    (should (string-match-p "no finder" (cadr (should-error (view-model-find) :type 'user-error))))))

(ert-deftest view-model-tests-find-reads-bytes-that-are-not-text ()
  (let ((file-name-coding-system 'utf-8-unix))
    (should (equal (encode-coding-string (concat "/tmp/gr" (string #x3fffe4) "ß.txt") 'utf-8-emacs)
                   (encode-coding-string (view-model-find--path '(:path "/tmp/gr" :uri "file:///tmp/gr%E4%C3%9F.txt"))
                                         'utf-8-emacs)))))

(ert-deftest view-model-tests-find-shows-the-match-of-a-long-line ()
  (let ((line (view-model-find--excerpt
               (view-model-find--marked (concat (make-string 300 ?x) "needle" (make-string 300 ?y))
                                        [(:start 300 :end 306)])
               60)))
    (should (string-match-p "\\`…x+needley+\\'" line))
    (should (<= (string-match "needle" line) 54)))
  (should (equal "12,345,678 lines" (view-model-find--counted 12345678 "line" "lines")))
  (should (equal "1 line" (view-model-find--counted 1 "line" "lines")))
  (should (equal "…/Sources" (view-model-find--end "/a/b/Sources" 9))))

;;; The server's finder

(defmacro view-model-tests-with-tree (&rest body)
  "Do BODY with a server in a folder with a few files, whose name is `tree'."
  (declare (indent 0) (debug t))
  `(let* ((tree (file-name-as-directory (file-truename (make-temp-file "tree" t))))
          (default-directory tree)
          server)
     (unwind-protect
         (progn
           (make-directory "src")
           (with-temp-file "src/größe.txt" (insert "eins\nzwei ☎ Nadel\n"))
           (with-temp-file "src/long.txt" (dotimes (line 5000) (insert (format "line %d\n" (1+ line)))))
           (with-temp-file "other.txt" (insert "a needle\nno\nanother needle\nTREE Tree\n"))
           (setq server (view-model-tests-serve "--tcp" "0"))
           (view-model-tests-at (cdr server) ,@body))
       (when server (view-model-tests-stop server))
       (dolist (buffer (buffer-list))
         (when (string-prefix-p tree (or (buffer-file-name buffer) "")) (kill-buffer buffer)))
       (delete-directory tree t))))

(ert-deftest view-model-tests-find-shares-a-session ()
  (view-model-tests-with-tree
    (should (view-model-tests-typing #'view-model-find (view-model-tests-seeing "3 files") "C-g"))
    (view-model-attach (view-model--view-key (buffer-local-value 'view-model--view (get-buffer "*finder*"))))
    (view-model-tests-see "*finder*<2>" "finder  3 files" "s search")
    (should-not (view-model-tests-typing
                 #'view-model-find
                 "größe" (lambda () (view-model-tests-see "*finder*<2>" "1 of 3 files" "^src/größe.txt\\'"))
                 "RET" #'view-model-tests-until-left))
    (should (equal (concat tree "src/größe.txt") (buffer-file-name (window-buffer))))
    (switch-to-buffer "*finder*<2>")
    ;; The other one left nothing behind.
    (view-model-tests-see "*finder*<2>" "finder  3 files")
    (should-not (view-model-tests-typing
                 #'view-model-find-resume
                 "other" (lambda () (view-model-tests-see "*finder*<2>" "1 of 3 files" "^other.txt\\'"))
                 "RET" #'view-model-tests-until-left))
    (should (equal (concat tree "other.txt") (buffer-file-name (window-buffer))))
    ;; In the results without the minibuffer.
    (switch-to-buffer "*finder*<2>")
    (view-model-send '(:kind "query" :text "long"))
    (view-model-tests-see "*finder*<2>" "1 of 3 files" "^src/long.txt\\'")
    (view-model-tests-press "RET")
    (view-model-tests-until "the file" (lambda () (equal (concat tree "src/long.txt")
                                                         (buffer-file-name (window-buffer)))))))

(ert-deftest view-model-tests-find-follows-files-and-says-what-is-wrong ()
  (view-model-tests-with-tree
    (should-not (view-model-tests-typing
                 #'view-model-find "n e w"
                 (view-model-tests-seeing "0 of 3 files")
                 (lambda () (with-temp-file (concat tree "new.txt") (insert "x")))
                 "C-c C-r" (view-model-tests-seeing "^new.txt\\'" "1 of 4 files")
                 "RET" #'view-model-tests-until-left))
    (should (equal (concat tree "new.txt") (buffer-file-name (window-buffer))))
    (should (view-model-tests-typing
             (lambda () (view-model-find '(:root "nowhere")))
             (lambda () (view-model-tests-see "*finder*<2>" "nowhere.*C-c C-r opens it again"))
             "C-g"))))

(provide 'view-model-find-tests)

;;; view-model-find-tests.el ends here
