;;; view-model-list-tests.el --- Tests of lists of view models  -*- lexical-binding: t; -*-

;;; Commentary:

;; Of the rows themselves, without a server; and of their buffers, with the made-up server of view-model-testing.el.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model-list)
(require 'view-model-testing)

;;; Rows

(defvar view-model-tests-asked nil
  "The requests for rows, newest first, each (FIRST COUNT ON-RESULT ON-ERROR).")

(defvar view-model-tests-cancelled nil
  "The ids of the requests that were cancelled, newest first; the first request has 1.")

(defun view-model-tests-row (id)
  "Return a row that is known by ID."
  (list :id id :name (format "r%s" id)))

(defun view-model-tests-rows (first count)
  "Return COUNT rows, the first of which has the id FIRST."
  (vconcat (mapcar #'view-model-tests-row (number-sequence first (+ first count -1)))))

(defun view-model-tests-answer-rows (rows seq first given)
  "Answer the newest request for ROWS with those GIVEN from FIRST on, as they are at SEQ."
  (funcall (nth 2 (car view-model-tests-asked))
           (list :seq seq :count (view-model-rows-count rows) :first first :rows given)))

(defun view-model-tests-show-again (rows)
  "Say that the same of ROWS is on screen, as painting does, and return what was asked for so far."
  (view-model-rows-show rows (view-model-rows-first rows) (view-model-rows-height rows))
  (view-model-tests-ranges))

(defun view-model-tests-ranges ()
  "Return what was asked for so far, oldest first, each (FIRST COUNT)."
  (reverse (mapcar (lambda (asked) (seq-take asked 2)) view-model-tests-asked)))

(defmacro view-model-tests-with-rows (count &rest body)
  "Do BODY with `rows', a list of which an event with number 1 told COUNT."
  (declare (indent 1) (debug t))
  `(let* ((view-model-tests-asked nil)
          (view-model-tests-cancelled nil)
          (rows (view-model-rows--make
                 :name "things"
                 :send (lambda (&rest arguments)
                         (push arguments view-model-tests-asked)
                         (length view-model-tests-asked))
                 :cancel (lambda (id) (push id view-model-tests-cancelled))
                 :limit (lambda () 1000))))
     (view-model-rows-changed rows '(:kind "things" :count ,count) 1)
     ,@body))

(ert-deftest view-model-tests-rows-on-screen-are-asked-for-with-a-screen-around ()
  (view-model-tests-with-rows 1000000
    (view-model-rows-show rows 500000 20)
    (should (equal '((499980 60)) (view-model-tests-ranges)))
    (view-model-tests-answer-rows rows 1 499980 (view-model-tests-rows 499980 60))
    (should (equal "r500019" (plist-get (view-model-rows-row rows 500019) :name)))
    ;; Half of what was read ahead may be used up.
    (view-model-rows-show rows 500010 20)
    (should (= 1 (length view-model-tests-asked)))
    (view-model-rows-show rows 500011 20)
    (should (equal '((499980 60) (500011 40)) (view-model-tests-ranges)))))

(ert-deftest view-model-tests-one-request-at-a-time-and-none-for-what-nobody-wants ()
  (view-model-tests-with-rows 1000000
    (view-model-rows-show rows 0 20)
    (view-model-rows-show rows 30 20)
    (should-not view-model-tests-cancelled)
    (view-model-rows-show rows 900000 20)
    (view-model-rows-show rows 910000 20)
    (should (equal '((0 40)) (view-model-tests-ranges)))
    (should (equal '(1) view-model-tests-cancelled))
    (funcall (nth 3 (car view-model-tests-asked)) '(:code -32800 :message "cancelled"))
    (should-not (view-model-rows-problem rows))
    (should (equal '((0 40) (909980 60)) (view-model-tests-show-again rows)))))

(ert-deftest view-model-tests-rows-of-an-event-need-no-request ()
  (view-model-tests-with-rows 0
    (view-model-rows-show rows 0 20)
    (view-model-rows-changed rows `( :kind "things" :count 2 :changes [(:at 0 :removed 0 :inserted 2)]
                                     :first 0 :rows ,(view-model-tests-rows 0 2))
                             2)
    (view-model-rows-changed rows `( :kind "things" :count 3 :changes [(:at 1 :removed 0 :inserted 1)]
                                     :first 1 :rows ,(view-model-tests-rows 7 1))
                             3)
    (should-not (view-model-tests-show-again rows))
    (should (equal '(0 7 1) (mapcar (lambda (index) (plist-get (view-model-rows-row rows index) :id)) '(0 1 2))))))

(ert-deftest view-model-tests-a-mark-that-stays-is-on-what-comes-in-its-place ()
  (view-model-tests-with-rows 10
    (view-model-rows-show rows 0 10)
    (view-model-tests-answer-rows rows 1 0 (view-model-tests-rows 0 10))
    (let ((gone (view-model-rows-add-mark rows 2 nil)) (in-its-place (view-model-rows-add-mark rows 2 t)))
      (view-model-rows-changed rows '( :kind "things" :count 11
                                       :changes [(:at 2 :removed 1 :inserted 0) (:at 0 :removed 0 :inserted 2)])
                               2)
      (should (equal '(nil 4) (mapcar #'view-model-rows-mark-index (list gone in-its-place))))
      ;; The rows that came are asked for with those on screen.
      (should (equal '(0 10) (car (last (view-model-tests-show-again rows))))))))

(ert-deftest view-model-tests-without-edits-marks-are-found-by-identity ()
  (view-model-tests-with-rows 10
    (view-model-rows-show rows 0 10)
    (view-model-tests-answer-rows rows 1 0 (view-model-tests-rows 0 10))
    (let ((stays (view-model-rows-add-mark rows 5 t)) (other (view-model-rows-add-mark rows 9 nil)))
      (view-model-rows-changed rows '(:kind "things" :count 9) 2)
      (should-not (view-model-rows-is-here rows 0))
      (should (equal '(5 nil) (mapcar #'view-model-rows-mark-index (list stays other))))
      (view-model-tests-show-again rows)
      (view-model-tests-answer-rows rows 2 0 (view-model-tests-rows 3 9))
      (should (equal '(2 6) (mapcar #'view-model-rows-mark-index (list stays other)))))))

(ert-deftest view-model-tests-edits-that-make-no-sense-are-a-reset ()
  (view-model-tests-with-rows 10
    (view-model-rows-show rows 0 10)
    (view-model-tests-answer-rows rows 1 0 (view-model-tests-rows 0 10))
    (view-model-rows-changed rows '(:kind "things" :count 12 :changes [(:at 0 :removed 0 :inserted 1)]) 2)
    (should (= 12 (view-model-rows-count rows)))
    (should-not (view-model-rows-is-here rows 5))))

(ert-deftest view-model-tests-what-a-short-answer-lacks-is-asked-for ()
  (view-model-tests-with-rows 100
    (view-model-rows-show rows 20 20)
    (view-model-tests-answer-rows rows 1 0 (view-model-tests-rows 0 30))
    (should (equal '((0 60) (30 30)) (view-model-tests-show-again rows)))
    (view-model-tests-answer-rows rows 1 30 [])
    ;; Again it would be nothing.
    (should (= 2 (length (view-model-tests-show-again rows))))
    (view-model-rows-changed rows '(:kind "things" :count 100 :changes []) 2)
    (should (= 3 (length (view-model-tests-show-again rows))))))

(ert-deftest view-model-tests-an-answer-of-another-attachment-is-passed-over ()
  (view-model-tests-with-rows 100
    (view-model-rows-show rows 0 20)
    (view-model-rows-left rows)
    (view-model-tests-answer-rows rows 9 0 (view-model-tests-rows 0 40))
    (should-not (view-model-rows-is-here rows 0))
    (should (equal '((0 40) (0 40)) (view-model-tests-show-again rows)))))

(ert-deftest view-model-tests-a-failure-is-said-and-not-repeated ()
  (view-model-tests-with-rows 100
    (view-model-rows-show rows 0 20)
    (funcall (nth 3 (car view-model-tests-asked)) '(:code -32014 :message "no such table"))
    (should (equal "no such table" (view-model-rows-problem rows)))
    (should (= 1 (length (view-model-tests-show-again rows))))
    (view-model-rows-retry rows)
    (should (= 2 (length (view-model-tests-show-again rows))))
    (view-model-tests-answer-rows rows 1 0 (view-model-tests-rows 0 40))
    (should-not (view-model-rows-problem rows))))

(ert-deftest view-model-tests-far-rows-are-forgotten ()
  (view-model-tests-with-rows 1000000
    (dotimes (screen 100)
      (view-model-rows-show rows (* screen 40) 20)
      (pcase-let ((`(,first ,count) (car view-model-tests-asked)))
        (when (view-model-rows-request rows)
          (view-model-tests-answer-rows rows 1 first (view-model-tests-rows first count)))))
    (should-not (view-model-rows-is-here rows 0))
    (should (view-model-rows-is-here rows 3900))
    (should (<= (hash-table-count (view-model-rows-table rows)) 1200))))

;;; Buffers

(defvar view-model-tests-things nil
  "The ids of the rows that the made-up server has.")

(defun view-model-tests-things-event (seq &rest members)
  "Let the made-up server tell with number SEQ how many things there are, and MEMBERS."
  (view-model-tests-event seq (append (list :kind "things" :count (length view-model-tests-things)) members)))

(defconst view-model-tests-things-contract
  '( :lists (:things (:row (:type "object") :id "id"))
     :viewEvent (:oneOf [( :type "object" :required ["kind" "id" "note"]
                           :properties (:kind (:const "note") :id (:type "integer") :note (:type "string")))
                         ( :type "object" :required ["kind" "index"]
                           :properties (:kind (:const "open") :index (:type "integer")))
                         (:type "object" :required ["kind"] :properties (:kind (:const "stop")))]))
  "What the made-up server says of its view model.")

(defmacro view-model-tests-with-things (ids &rest body)
  "Do BODY with a made-up server whose view model has a list of things with IDS, which is shown."
  (declare (indent 1) (debug t))
  `(let ((view-model-tests-things ,ids))
     (view-model-tests-with-fake
       (view-model-tests-answer "viewModel/describe" (lambda (_) view-model-tests-things-contract))
       (view-model-tests-answer
        "session/rows"
        (lambda (asked)
          (let ((first (plist-get asked :first)))
            (list :seq (view-model--view-seq view-model--view) :count (length view-model-tests-things) :first first
                  :rows (vconcat (mapcar #'view-model-tests-row
                                         (seq-take (nthcdr first view-model-tests-things)
                                                   (plist-get asked :count))))))))
       (view-model--fetch-description view-model--view)
       (view-model-tests-see "*thing*" "Lists\n +things +0 rows\n")
       (view-model-tests-things-event 2)
       (view-model-tests-see "*thing*" (format "things +%d rows\n" (length view-model-tests-things)))
       (goto-char (point-min))
       (search-forward "things")
       (view-model-tests-press "RET")
       ,@body)))

(defun view-model-tests-line ()
  "Return the line that point is on."
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(ert-deftest view-model-tests-a-list-has-the-lines-of-its-window ()
  (view-model-tests-with-things (number-sequence 0 999)
    (view-model-tests-see "*thing: things*" "^   1  id: 0, name: r0\n")
    (should (= (window-body-height) (count-lines (point-min) (point-max))))
    (view-model-tests-press "M->")
    (view-model-tests-see "*thing: things*" "^1000  id: 999, name: r999\\'")
    (should (equal "1000  id: 999, name: r999" (view-model-tests-line)))
    (should-error (view-model-list-next) :type 'end-of-buffer)
    (view-model-tests-press "M-< C-u 30 C-n")
    (view-model-tests-see "*thing: things*" "^  31  id: 30")
    (should (equal "  31  id: 30, name: r30" (view-model-tests-line)))
    (view-model-tests-press "C-u 500 M-g g")
    (view-model-tests-see "*thing: things*" "^ 500  id: 499")
    (should (equal " 500  id: 499, name: r499" (view-model-tests-line)))
    ;; Any command may move point within the window.
    (view-model-tests-press "M-r M-r C-n")
    (should (equal (format " %d" (+ 2 (car view-model-list--painted))) (substring (view-model-tests-line) 0 4)))))

(ert-deftest view-model-tests-point-stays-on-its-row ()
  (view-model-tests-with-things (number-sequence 0 99)
    (view-model-tests-see "*thing: things*" "1  id: 0")
    (view-model-tests-press "C-u 4 C-n")
    (setq view-model-tests-things (append '(200 201) view-model-tests-things))
    (view-model-tests-things-event 3 :changes [(:at 0 :removed 0 :inserted 2)])
    (view-model-tests-see "*thing: things*" "things 3-[0-9]+ of 102" "  7  id: 4," :not "\\.\\.\\.")
    (should (equal "  7  id: 4, name: r4" (view-model-tests-line)))
    ;; Any row may be another.
    (setq view-model-tests-things (cons 300 view-model-tests-things))
    (view-model-tests-things-event 4)
    (view-model-tests-see "*thing: things*" "of 103" "  8  id: 4," :not "\\.\\.\\.")
    (should (equal "  8  id: 4, name: r4" (view-model-tests-line)))
    (setq view-model-tests-things '(4))
    (view-model-tests-things-event 5)
    (view-model-tests-see "*thing: things*" "things 1-1 of 1" "^1  id: 4")))

(ert-deftest view-model-tests-the-first-row-is-gone-to-before-the-rows-are-here ()
  (view-model-tests-with-things '(5 6 7)
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (view-model-tests-press "n")
    ;; As where another session was opened: all rows go, and come after their number.
    (view-model-tests-answer "session/rows" (lambda (_) 'nothing))
    (setq view-model-tests-things nil)
    (view-model-tests-things-event 3)
    (view-model-tests-see "*thing: things*" "things: no rows")
    (setq view-model-tests-things '(5 6 7))
    (view-model-tests-things-event 4)
    (view-model-tests-see "*thing: things*" "of 3" "^1  \\.\\.\\.$")
    (view-model-tests-press "M-<")
    (view-model-tests-things-event 5 :first 0 :rows (vconcat (mapcar #'view-model-tests-row view-model-tests-things)))
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (should (equal "1  id: 5, name: r5" (view-model-tests-line)))))

(ert-deftest view-model-tests-an-event-is-for-the-row-at-point ()
  (view-model-tests-with-things '(5 6 7)
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (view-model-tests-press "n RET RET hello RET")
    (view-model-tests-press "RET open RET RET open RET")
    (view-model-tests-until "three events" (lambda () (= 3 (length (view-model-tests-sent "view/event")))))
    (should (equal '((:kind "note" :id 6 :note "hello") (:kind "open" :index 1) (:kind "open" :index 1))
                   (mapcar (lambda (params) (plist-get params :event)) (view-model-tests-sent "view/event"))))))

(ert-deftest view-model-tests-an-event-for-a-row-that-went-is-not-sent ()
  (view-model-tests-with-things '(5 6 7)
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (cl-letf (((symbol-function 'completing-read)
               (lambda (&rest _)
                 (setq view-model-tests-things '(6 7))
                 (view-model-tests-things-event 3 :changes [(:at 0 :removed 1 :inserted 0)])
                 (view-model-tests-see "*thing: things*" "of 2")
                 "open")))
      (should-error (view-model-list-choose) :type 'user-error))
    (should-not (view-model-tests-sent "view/event"))))

(ert-deftest view-model-tests-a-list-that-a-snapshot-does-not-name-is-empty ()
  (view-model-tests-with-things '(5 6 7)
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 40 :snapshot [])))
    (view-model-tests-say :method "session/closed" :params '(:session 1 :reason "overflow"))
    (view-model-tests-see "*thing: things*" "no rows" :not "id:")))

(ert-deftest view-model-tests-back-from-a-child-is-the-list ()
  (view-model-tests-with-things '(5 6 7)
    (view-model-tests-see "*thing: things*" "3  id: 7")
    (view-model-tests-answer "session/attach" (lambda (_) '(:session 2 :viewModel "part" :seq 1)))
    (view-model-tests-say :method "navigation/push" :params '(:session 1 :seq 3 :viewModel "part" :key "k2"))
    (view-model-tests-until "the child" (lambda () (equal "*part*" (buffer-name (window-buffer)))))
    (view-model-tests-say :method "navigation/pop" :params '(:session 1 :seq 4 :key "k2"))
    (view-model-tests-until "the list" (lambda () (equal "*thing: things*" (buffer-name (window-buffer)))))
    (view-model-tests-press "q")
    (should (equal "*thing*" (buffer-name (window-buffer))))
    (kill-buffer "*thing*")
    (should-not (get-buffer "*thing: things*"))))

(ert-deftest view-model-tests-a-list-leaves-room-for-what-waits ()
  (view-model-tests-with-things (number-sequence 0 99)
    (view-model-tests-see "*thing: things*" "1  id: 0")
    (should (= (window-body-height) (view-model-list--height)))
    (cl-letf (((symbol-function 'view-model--waiting) (lambda (_) '(one another))))
      (should (= (- (window-body-height) 4) (view-model-list--height))))
    (cl-letf (((symbol-function 'view-model--waiting) (lambda (_) (make-list 1000 'one))))
      (should (= 5 (view-model-list--height))))))

;;; Lists of the server

(ert-deftest view-model-tests-the-list-of-the-readme ()
  (let ((view-model-modes '(("numbers" . my-numbers-mode))))
    (view-model-tests-take-example "my-numbers-mode")
    (view-model-tests-at (view-model-tests-address)
      (view-model "numbers" '(:count 1000000))
      (view-model-tests-see "*numbers*" "0\n1\n4\n9\n16\n25\n36\n49\n64\n81\n"))))

(provide 'view-model-list-tests)

;;; view-model-list-tests.el ends here
