;;; view-model-rows.el --- Lists of hosted view models, row by row  -*- lexical-binding: t; -*-

;;; Commentary:

;; A list of a view model may have any number of rows, of which those
;; around the ones on screen are here.  `view-model-rows-show' says
;; which are on screen; what is missing is asked for, with a screen
;; before and a screen after them, by one request at a time.
;;
;; The rows are those of one version of the list, that of its last
;; event.  An answer may be used when it comes: it follows the events
;; up to its number, and has the rows as they are then.
;;
;; Who has the connection is no matter of this file: three functions
;; are given to each list.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defconst view-model-rows--kept '(500 . 5)
  "How many rows are kept on each side of those on screen.
That is so many, or so many screens.")

(cl-defstruct (view-model-rows (:constructor view-model-rows--make) (:copier nil))
  "A list of a view model, with the rows that are here."
  name
  send                              ; called with FIRST, COUNT, ON-RESULT and ON-ERROR; returns the request's id
  cancel                            ; called with an id
  limit                             ; called for how many rows one answer has at most
  (count 0) (seq 0)                 ; how many rows there are, as an event of this number said
  (table (make-hash-table))         ; the rows that are here, by their indices
  (id :id)                          ; the member that identifies a row, or nil
  is-declared                       ; the contract names it
  marks
  (first 0) (height 0)              ; the rows on screen
  request                           ; the one that isn't answered
  is-stalled                        ; asking again for the same would get nothing
  is-short                          ; the server gives fewer rows than are asked for
  problem                           ; why rows are missing, in words
  retry-timer
  buffer)                           ; where it is shown, if it has a buffer of its own

(cl-defstruct (view-model-rows--request (:constructor view-model-rows--make-request) (:copier nil))
  "A request for the rows from FIRST on, before END."
  first end id
  is-exact                          ; its first row is one that is missing
  is-old                            ; what the server says to it doesn't hold for what is asked for next
  is-cancelled)

(cl-defstruct (view-model-rows-mark (:constructor view-model-rows--make-mark) (:copier nil))
  "A mark on a row: it moves with edits, and is found again by the row's identity."
  index                             ; nil where it isn't known where the row is
  identity
  is-lost                           ; another row may have taken the place of the one that was marked
  stays)                            ; where the row goes, it marks the one that comes there

;;; Reading

(defun view-model-rows-row (rows index)
  "Return the row of ROWS at INDEX, or nil where it isn't here (yet)."
  (car (gethash index (view-model-rows-table rows))))

(defun view-model-rows-is-here (rows index)
  "Return whether the row of ROWS at INDEX is here, which may be null."
  (consp (gethash index (view-model-rows-table rows))))

(defun view-model-rows-identity (rows row)
  "Return what identifies ROW of ROWS, or nil where nothing does."
  (when (and (view-model-rows-id rows) (keywordp (car-safe row)))
    (plist-get row (view-model-rows-id rows))))

;;; Marks

(defun view-model-rows-add-mark (rows index stays)
  "Mark the row of ROWS at INDEX, and return the mark.
Where the row goes, a mark that STAYS is on the one that comes
there, and another one is nowhere."
  (let ((mark (view-model-rows--make-mark :stays stays)))
    (push mark (view-model-rows-marks rows))
    (view-model-rows-move-mark rows mark index)
    mark))

(defun view-model-rows-move-mark (rows mark index)
  "Put MARK on the row of ROWS at INDEX."
  (setf (view-model-rows-mark-index mark) index
        (view-model-rows-mark-identity mark) (view-model-rows-identity rows (view-model-rows-row rows index))
        (view-model-rows-mark-is-lost mark) nil))

(defun view-model-rows-remove-mark (rows mark)
  "Let go of MARK in ROWS."
  (setf (view-model-rows-marks rows) (delq mark (view-model-rows-marks rows))))

(defun view-model-rows--edit-mark (mark edits)
  "Move MARK with EDITS."
  (seq-doseq (edit edits)
    (let ((at (plist-get edit :at)) (removed (plist-get edit :removed)) (inserted (plist-get edit :inserted))
          (index (view-model-rows-mark-index mark)))
      (cond ((or (null index) (< index at)))
            ((>= index (+ at removed))
             (setf (view-model-rows-mark-index mark) (+ index (- inserted removed))))
            (t (setf (view-model-rows-mark-is-lost mark) t)
               ;; As many rows came as went: perhaps they are the same ones with other content.
               (unless (= removed inserted)
                 (setf (view-model-rows-mark-index mark)
                       (when (view-model-rows-mark-stays mark) (+ at (min (- index at) inserted))))))))))

(defun view-model-rows--limit-mark (mark count)
  "Keep MARK below COUNT."
  (when-let ((index (view-model-rows-mark-index mark)) ((>= index count)))
    (setf (view-model-rows-mark-index mark) (when (view-model-rows-mark-stays mark) (max 0 (1- count))))))

(defun view-model-rows--find-mark (rows mark first given)
  "Look whether the row of MARK is one of GIVEN, the rows of ROWS from FIRST on."
  (let ((identity (view-model-rows-mark-identity mark)))
    (when-let (((view-model-rows-mark-is-lost mark))
               (identity)
               (place (cl-position identity given :test #'equal
                                   :key (lambda (row) (view-model-rows-identity rows row)))))
      (setf (view-model-rows-mark-index mark) (+ first place)
            (view-model-rows-mark-is-lost mark) nil))
    (when-let ((index (view-model-rows-mark-index mark)) ((< -1 (- index first) (length given))))
      (if (and (view-model-rows-mark-is-lost mark) identity (not (view-model-rows-mark-stays mark)))
          (setf (view-model-rows-mark-index mark) nil)
        (view-model-rows-move-mark rows mark index)))))

;;; What the server says

(defun view-model-rows-is-change (event)
  "Return whether EVENT can be one of a list."
  (cl-flet ((are-edits (value)
              (and (vectorp value)
                   (seq-every-p (lambda (edit)
                                  (seq-every-p (lambda (member) (natnump (plist-get edit member)))
                                               '(:at :removed :inserted)))
                                value))))
    (and (stringp (plist-get event :kind))
         (natnump (plist-get event :count))
         (or (null (plist-get event :changes)) (are-edits (plist-get event :changes)))
         (or (null (plist-get event :rows))
             (and (vectorp (plist-get event :rows)) (natnump (plist-get event :first)))))))

(defun view-model-rows--count-after (edits count)
  "Return how long a list of COUNT rows is after EDITS.
Return nil where they make no sense."
  (catch 'wrong
    (seq-doseq (edit edits)
      (when (> (+ (plist-get edit :at) (plist-get edit :removed)) count) (throw 'wrong nil))
      (cl-incf count (- (plist-get edit :inserted) (plist-get edit :removed))))
    count))

(defun view-model-rows-changed (rows event seq)
  "Take EVENT, which has the number SEQ, for ROWS.
Where it has no edits that make sense, any row may be another."
  (let* ((count (plist-get event :count))
         (before (view-model-rows-count rows))
         (edits (plist-get event :changes))
         (is-edited (and edits (eql count (view-model-rows--count-after edits before)))))
    (setf (view-model-rows-seq rows) seq
          (view-model-rows-count rows) count)
    (if is-edited
        (view-model-rows--edit rows edits)
      (clrhash (view-model-rows-table rows)))
    (dolist (mark (view-model-rows-marks rows))
      (cond ((and is-edited (> before 0)) (view-model-rows--edit-mark mark edits))
            (t (setf (view-model-rows-mark-is-lost mark) t)
               (unless (view-model-rows-mark-stays mark) (setf (view-model-rows-mark-index mark) nil))))
      (view-model-rows--limit-mark mark count))
    (when (plist-get event :rows) (view-model-rows--fill rows (plist-get event :first) (plist-get event :rows)))
    (view-model-rows--ask-anew rows)))

(defun view-model-rows--edit (rows edits)
  "Move the rows of ROWS that are here with EDITS."
  (let ((mark (view-model-rows--make-mark))
        (table (make-hash-table)))
    (maphash (lambda (index row)
               (setf (view-model-rows-mark-index mark) index
                     (view-model-rows-mark-is-lost mark) nil)
               (view-model-rows--edit-mark mark edits)
               (unless (view-model-rows-mark-is-lost mark)
                 (puthash (view-model-rows-mark-index mark) row table)))
             (view-model-rows-table rows))
    (setf (view-model-rows-table rows) table)))

(defun view-model-rows--fill (rows first given)
  "Take GIVEN, the rows of ROWS from FIRST on.
Return how many of them weren't here."
  (let* ((table (view-model-rows-table rows))
         (given (seq-take given (max 0 (- (view-model-rows-count rows) first))))
         (before (hash-table-count table)))
    (seq-do-indexed (lambda (row offset) (puthash (+ first offset) (list row) table)) given)
    (dolist (mark (view-model-rows-marks rows)) (view-model-rows--find-mark rows mark first given))
    (- (hash-table-count table) before)))

;;; Asking

(defun view-model-rows-show (rows first height)
  "Say that HEIGHT rows of ROWS are on screen, from FIRST on.
What is missing of them is asked for.  It is to be called whenever
they are painted, as they are when an answer came."
  (unless (and (= first (view-model-rows-first rows)) (= height (view-model-rows-height rows)))
    (view-model-rows--ask-anew rows))
  (setf (view-model-rows-first rows) first
        (view-model-rows-height rows) height)
  (view-model-rows--trim rows)
  (if-let ((request (view-model-rows-request rows)))
      (view-model-rows--cancel-unwanted rows request)
    (unless (view-model-rows-is-stalled rows)
      (when-let ((wanted (view-model-rows--missing rows)))
        (view-model-rows--send rows (apply #'view-model-rows--make-request wanted))))))

(defun view-model-rows-retry (rows)
  "Let what the server didn't give of ROWS be asked for again."
  (setf (view-model-rows-problem rows) nil)
  (view-model-rows--ask-anew rows))

(defun view-model-rows-left (rows)
  "Take note that ROWS have no session: what was asked for isn't answered."
  (when (timerp (view-model-rows-retry-timer rows)) (cancel-timer (view-model-rows-retry-timer rows)))
  (when-let ((request (view-model-rows-request rows)) (id (view-model-rows--request-id request)))
    (funcall (view-model-rows-cancel rows) id))
  (setf (view-model-rows-request rows) nil)
  (view-model-rows-retry rows))

(defun view-model-rows--ask-anew (rows)
  "Let nothing that was said of ROWS so far keep from asking."
  (setf (view-model-rows-is-stalled rows) nil)
  (when-let ((request (view-model-rows-request rows))) (setf (view-model-rows--request-is-old request) t)))

(defun view-model-rows--around (rows more)
  "Return (FIRST . END) of the rows of ROWS on screen, with MORE on each side."
  (let ((first (view-model-rows-first rows)) (count (view-model-rows-count rows)))
    (cons (min (max 0 (- first more)) count)
          (min (+ first (view-model-rows-height rows) more) count))))

(defun view-model-rows--first-missing (rows range)
  "Return the first index in RANGE whose row isn't here in ROWS."
  (cl-loop for index from (car range) below (cdr range)
           unless (view-model-rows-is-here rows index) return index))

(defun view-model-rows--last-missing (rows range)
  "Return the last index in RANGE whose row isn't here in ROWS."
  (cl-loop for index downfrom (1- (cdr range)) to (car range)
           unless (view-model-rows-is-here rows index) return index))

(defun view-model-rows--missing (rows)
  "Return what to ask for of ROWS, or nil where enough is here."
  (let* ((height (view-model-rows-height rows))
         (screen (view-model-rows--around rows 0))
         ;; Half of what is read ahead may be used up, so that not each line of scrolling is a request.
         (near (view-model-rows--around rows (/ height 2)))
         (wanted (view-model-rows--around rows height)))
    (when (and (> height 0) (view-model-rows--first-missing rows near))
      ;; With those on screen, so that the server knows which these are, and tells them with their changes.
      (let* ((first (min (view-model-rows--first-missing rows wanted) (car screen)))
             (last (1+ (view-model-rows--last-missing rows wanted)))
             (end (max last (cdr screen)))
             (limit (funcall (view-model-rows-limit rows))))
        (if (and (not (view-model-rows-is-short rows)) (<= (- end first) limit))
            (list :first first :end end)
          (let ((start (or (view-model-rows--first-missing rows screen) (view-model-rows--first-missing rows near))))
            (list :first start :end (min last (+ start limit)) :is-exact t)))))))

(defun view-model-rows--cancel-unwanted (rows request)
  "Cancel REQUEST where none of its rows is wanted of ROWS any more."
  (let ((wanted (view-model-rows--around rows (view-model-rows-height rows))))
    (when (and (view-model-rows--request-id request)
               (not (view-model-rows--request-is-cancelled request))
               (or (>= (view-model-rows--request-first request) (cdr wanted))
                   (<= (view-model-rows--request-end request) (car wanted))))
      (setf (view-model-rows--request-is-cancelled request) t)
      (funcall (view-model-rows-cancel rows) (view-model-rows--request-id request)))))

(defun view-model-rows--send (rows request)
  "Send REQUEST for ROWS."
  (setf (view-model-rows-request rows) request)
  (let ((first (view-model-rows--request-first request)))
    (setf (view-model-rows--request-id request)
          (funcall (view-model-rows-send rows) first (- (view-model-rows--request-end request) first)
                   ;; After the end of an attachment, events are missing between the answer and what is here.
                   (lambda (result)
                     (when (eq request (view-model-rows-request rows))
                       (view-model-rows--answered rows request result)))
                   (lambda (error)
                     (when (eq request (view-model-rows-request rows))
                       (view-model-rows--failed rows request error)))))))

(defun view-model-rows--answered (rows request result)
  "Take RESULT, the answer to REQUEST, for ROWS."
  (setf (view-model-rows-request rows) nil)
  (let ((seq (plist-get result :seq)) (count (plist-get result :count))
        (first (plist-get result :first)) (given (plist-get result :rows)))
    (cond
     ((not (and (natnump seq) (natnump count) (natnump first) (vectorp given) (>= seq (view-model-rows-seq rows))))
      (setf (view-model-rows-is-stalled rows) t
            (view-model-rows-problem rows) "the server's rows make no sense"))
     ((/= count (view-model-rows-count rows))
      (view-model-rows-changed rows (list :count count :first first :rows given) seq))
     (t
      (let ((is-short (< (+ first (length given)) (min (view-model-rows--request-end request) count)))
            (new (view-model-rows--fill rows first given)))
        (setf (view-model-rows-problem rows) nil
              (view-model-rows-is-short rows) is-short
              (view-model-rows-is-stalled rows)
              (and (zerop new)
                   (not (view-model-rows--request-is-old request))
                   (or (view-model-rows--request-is-exact request) (not is-short)))))))))

(defun view-model-rows--failed (rows request error)
  "Take ERROR, the answer to REQUEST, for ROWS."
  (setf (view-model-rows-request rows) nil)
  (let ((code (plist-get error :code))
        (delay (plist-get (plist-get error :data) :retryAfterMs)))
    (cond ((eql code -1))
          ;; Its end is on its way.
          ((eql code -32012) (setf (view-model-rows-is-stalled rows) t))
          ((and (eql code -32800) (view-model-rows--request-is-cancelled request)))
          (t (setf (view-model-rows-is-stalled rows)
                   (or (numberp delay) (not (view-model-rows--request-is-old request)))
                   (view-model-rows-problem rows) (plist-get error :message))
             (when (numberp delay)
               (setf (view-model-rows-retry-timer rows)
                     (run-at-time (/ delay 1000.0) nil
                                  (lambda ()
                                    (view-model-rows-retry rows)
                                    (view-model-rows-show rows (view-model-rows-first rows)
                                                          (view-model-rows-height rows))))))))))

(defun view-model-rows--trim (rows)
  "Forget what is far from the rows of ROWS on screen, where that is much."
  (let* ((first (view-model-rows-first rows)) (height (view-model-rows-height rows))
         (table (view-model-rows-table rows))
         (margin (max (car view-model-rows--kept) (* (cdr view-model-rows--kept) height))))
    (when (> (hash-table-count table) (+ (* 2 margin) height))
      (dolist (index (hash-table-keys table))
        (unless (< (- first margin 1) index (+ first height margin)) (remhash index table))))))

(provide 'view-model-rows)

;;; view-model-rows.el ends here
