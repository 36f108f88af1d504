// Generated once from the JSONTestSuite by Nicolas Seriot, https://github.com/nst/JSONTestSuite, MIT licence.
// Bytes outside of printable ASCII, and %, are written as %XX. Cases over 200 bytes are tests of their own.

extension JSONTestSuite {
    /// RFC 8259 leaves these to the parser.
    static let undefined: KeyValuePairs<String, String> = [
        "number_double_huge_neg_exp": "[123.456e-789]",
        "number_huge_exp":
            "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]",
        "number_neg_int_huge_exp": "[-1e+9999]",
        "number_pos_double_huge_exp": "[1.5e+9999]",
        "number_real_neg_overflow": "[-123123e100000]",
        "number_real_pos_overflow": "[123123e100000]",
        "number_real_underflow": "[123e-10000000]",
        "number_too_big_neg_int": "[-123123123123123123123123123123]",
        "number_too_big_pos_int": "[100000000000000000000]",
        "number_very_big_negative_int": "[-237462374673276894279832749832423479823246327846]",
        "object_key_lone_2nd_surrogate": "{\"\\uDFAA\":0}",
        "string_1st_surrogate_but_2nd_missing": "[\"\\uDADA\"]",
        "string_1st_valid_surrogate_2nd_invalid": "[\"\\uD888\\u1234\"]",
        "string_UTF-16LE_with_BOM": "%FF%FE[%00\"%00%E9%00\"%00]%00",
        "string_UTF-8_invalid_sequence": "[\"%E6%97%A5%D1%88%FA\"]",
        "string_UTF8_surrogate_U+D800": "[\"%ED%A0%80\"]",
        "string_incomplete_surrogate_and_escape_valid": "[\"\\uD800\\n\"]",
        "string_incomplete_surrogate_pair": "[\"\\uDd1ea\"]",
        "string_incomplete_surrogates_escape_valid": "[\"\\uD800\\uD800\\n\"]",
        "string_invalid_lonely_surrogate": "[\"\\ud800\"]",
        "string_invalid_surrogate": "[\"\\ud800abc\"]",
        "string_invalid_utf-8": "[\"%FF\"]",
        "string_inverted_surrogates_U+1D11E": "[\"\\uDd1e\\uD834\"]",
        "string_iso_latin_1": "[\"%E9\"]",
        "string_lone_second_surrogate": "[\"\\uDFAA\"]",
        "string_lone_utf8_continuation_byte": "[\"%81\"]",
        "string_not_in_unicode_range": "[\"%F4%BF%BF%BF\"]",
        "string_overlong_sequence_2_bytes": "[\"%C0%AF\"]",
        "string_overlong_sequence_6_bytes": "[\"%FC%83%BF%BF%BF%BF\"]",
        "string_overlong_sequence_6_bytes_null": "[\"%FC%80%80%80%80%80\"]",
        "string_truncated-utf-8": "[\"%E0%FF\"]",
        "string_utf16BE_no_BOM": "%00[%00\"%00%E9%00\"%00]",
        "string_utf16LE_no_BOM": "[%00\"%00%E9%00\"%00]%00",
        "structure_UTF-8_BOM_empty_object": "%EF%BB%BF{}",
    ]
}
