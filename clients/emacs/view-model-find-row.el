;;; view-model-find-row.el --- Results of a finder as lines  -*- lexical-binding: t; -*-

;;; Commentary:

;; A result is a path, or a line of a file with its place.  What matches
;; is marked, and what has no room is cut off.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'view-model-rows)

(defface view-model-find-match '((t :inherit (bold completions-common-part)))
  "What matches, in a result of a finder."
  :group 'view-model)

(defface view-model-find-file '((t :inherit font-lock-function-name-face))
  "The file that a line was found in."
  :group 'view-model)

(defface view-model-find-line-number '((t :inherit shadow))
  "The number of a line that was found."
  :group 'view-model)

(defun view-model-find--character (text byte)
  "Return the index of the character of TEXT that has BYTE of its UTF-8."
  (if (= (string-bytes text) (length text))
      (min byte (length text))
    (cl-loop with passed = 0
             for index below (length text)
             while (< passed byte)
             do (cl-incf passed (string-bytes (char-to-string (aref text index))))
             finally return index)))

(defun view-model-find--marked (text matches &optional face)
  "Return TEXT with a face where one of MATCHES is, and FACE all over.
Characters that would end the line are replaced."
  (let ((marked (propertize (subst-char-in-string ?\r ?\s (subst-char-in-string ?\n ?\s text)))))
    (when face (add-face-text-property 0 (length marked) face nil marked))
    (seq-doseq (match matches)
      (let ((start (view-model-find--character text (plist-get match :start)))
            (end (view-model-find--character text (plist-get match :end))))
        (when (< start end) (add-face-text-property start end 'view-model-find-match nil marked))))
    marked))

(defun view-model-find--end (text width)
  "Return TEXT, or the end of it that fits into WIDTH columns."
  (if (<= (string-width text) width)
      text
    (let ((start (max 0 (- (length text) (max 1 (1- width))))))
      (while (and (< start (length text)) (>= (string-width text start) width)) (cl-incf start))
      (concat "…" (substring text start)))))

(defun view-model-find--excerpt (text width)
  "Return TEXT, or a part of it where the first match is beyond WIDTH columns."
  (let* ((match (text-property-not-all 0 (length text) 'face nil text))
         (end (and match (next-single-property-change match 'face text (length text)))))
    (if (or (null match) (<= (string-width text 0 end) width))
        text
      (concat "…" (substring text (max 0 (min match (- end (/ (* 2 width) 3)))))))))

(defun view-model-find--width ()
  "Return how many columns a result has."
  (if-let ((windows (get-buffer-window-list nil nil t)))
      ;; A terminal has no fringe, and says in the last column that a line goes on.
      (max 20 (1- (apply #'min (mapcar #'window-body-width windows))))
    80))

(defun view-model-find--line (rows index _)
  "Return the line of the result of ROWS at INDEX."
  (if-let ((row (view-model-rows-row rows index)))
      (let ((path (plist-get row :path)) (number (plist-get row :line)) (text (plist-get row :text))
            (matches (plist-get row :matches)) (width (view-model-find--width)))
        (if (null text)
            (view-model-find--end (view-model-find--marked path matches) width)
          (let ((place (concat (view-model-find--end (view-model-find--marked path nil 'view-model-find-file)
                                                     (/ width 2))
                               ":" (propertize (format "%s" number) 'face 'view-model-find-line-number) ":")))
            (concat place (view-model-find--excerpt (view-model-find--marked text matches)
                                                    (max 10 (- width (string-width place))))))))
    (propertize "..." 'face 'shadow)))

(defun view-model-find--counted (count one many)
  "Return COUNT in words, as so much of ONE or MANY."
  (let ((digits (number-to-string (or count 0))))
    (while (string-match "[0-9]\\([0-9]\\{3\\}\\)\\(?:,\\|\\'\\)" digits)
      (setq digits (concat (substring digits 0 (match-beginning 1)) "," (substring digits (match-beginning 1)))))
    (concat digits " " (if (eql count 1) one many))))

(provide 'view-model-find-row)

;;; view-model-find-row.el ends here
