@_spi(Reflection) import Swift
internal import SwiftShims

/// A stored property as the type of its owner describes it: no object is needed, and none is read.
package struct PropertyField: Sendable {
    /// The way in which the property is declared.
    package enum Form: Sendable {
        case constant
        case variable
        case lazyVariable
        /// The storage of a property wrapper, or a property whose own name begins with an underscore as such a storage's does.
        case wrapped
    }

    /// The property's name as in the source.
    package let name: String
    package let type: any Any.Type
    package let form: Form

    /// Returns the stored properties of a class and its superclasses, or of a struct, in order of declaration. Other types have
    /// none.
    package static func all(of type: any Any.Type) -> [PropertyField] {
        // Of other types, such as protocols, the runtime would read a value.
        guard type is AnyClass || CaseNames.isStruct(type) else { return [] }
        var fields: [PropertyField] = []
        let options = _EachFieldOptions(rawValue: type is AnyClass ? classes : 0)
        _ = _forEachField(of: type, options: options) { label, _, field, _ in
            let isVariable = isVariable(fields.count, of: type)
            fields.append(PropertyField(label: String(cString: label), field, isVariable: isVariable))
            return true
        }
        return fields
    }

    private init(label: String, _ type: any Any.Type, isVariable: Bool) {
        self.type = type
        if label.hasPrefix(Self.lazyPrefix) {
            (name, form) = (String(label.dropFirst(Self.lazyPrefix.count)), .lazyVariable)
        } else {
            let isWrapped = label.hasPrefix("_") || label.hasPrefix("`_")
            name = PropertyName.of(label: label, isWrapper: isWrapped)
            form = isWrapped ? .wrapped : isVariable ? .variable : .constant
        }
    }

    private static let lazyPrefix = "$__lazy_storage_$_"

    /// `_EachFieldOptions.classType`, which can't be named in Swift 6 as it is a `var`.
    private static let classes: UInt32 = 1

    private static func isVariable(_ index: Int, of type: any Any.Type) -> Bool {
        var metadata = _FieldReflectionMetadata()
        _ = fieldMetadata(of: type, index: index, &metadata)
        metadata.freeFunc?(metadata.name)
        return metadata.isVar
    }
}

/// Finds a field by its index, as `_forEachField` does. Only this function says whether the field is a `var`:
/// `_forEachFieldWithKeyPath`, which tells that by the kind of key path, can't be used for classes.
// Declared as in the standard library's ReflectionMirror.swift. It fills a struct of the standard library's own header.
@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldMetadata(
    of type: any Any.Type, index: Int, _ metadata: UnsafeMutablePointer<_FieldReflectionMetadata>
) -> any Any.Type
