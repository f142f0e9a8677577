/// Builds the object table of a keyed archive.
///
/// `NSNull`, class records, text and whole numbers are stored once; every other object is stored each time it occurs.
package struct KeyedArchiveWriter {
  package typealias Reference = KeyedArchive.Reference

  /// What a field that holds no object refers to.
  package static let nothing: Reference = 0

  private var objects: [PropertyList] = [.string("$null")]
  private var referenceOfScalar: [PropertyList: Reference] = [:]
  private var referenceOfClass: [[String]: Reference] = [:]
  private var nullReference: Reference?

  package init() {}

  /// Finishes the archive with its named roots.
  package func encode(roots: [String: Reference]) -> [UInt8] {
    BinaryPropertyList.encode(
      .dictionary([
        "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
        "$top": .dictionary(roots.mapValues { .uid($0) }), "$objects": .array(objects),
      ]))
  }

  /// Adds an object and everything in it.
  package mutating func add(_ object: ArchivedObject) -> Reference {
    switch object {
    case .null: addNull()
    case .boolean(let value): share(.boolean(value))
    case .integer(let value): share(.integer(value))
    case .unsigned(let value): share(.unsigned(value))
    case .real(let value): append(.real(value))
    case .float(let value): append(.float(value))
    case .string(let value): share(.string(value))
    case .data(let value): append(.data(value))
    case .date(let value): add(["NSDate"], ["NS.time": .real(value)])
    case .decimal(let value):
      add(["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"], value.fields)
    case .uuid(let value): add(["NSUUID"], ["NS.uuidbytes": .data(value.bytes)])
    case .url(let relative, let base): addURL(relative: relative, base: base)
    case .array(let elements): addCollection(["NSArray"], elements)
    case .set(let elements): addCollection(["NSSet"], elements.sorted(by: Self.precedes))
    case .orderedSet(let elements): addOrderedSet(elements)
    case .dictionary(let pairs): addDictionary(["NSDictionary"], pairs)
    case .record(let record): addRecord(record)
    }
  }

  /// Adds an array, mutable or not, of elements that may be of different kinds.
  mutating func addCollection(_ classes: [String], _ elements: [ArchivedObject]) -> Reference {
    reserve { writer in
      let references = elements.map { PropertyList.uid(writer.add($0)) }
      return writer.record(classes, ["NS.objects": .array(references)])
    }
  }

  mutating func addDictionary(
    _ classes: [String], _ pairs: [ArchivedObject: ArchivedObject]
  ) -> Reference {
    let sorted = pairs.sorted { Self.precedes($0.key, $1.key) }
    return addDictionary(classes, sorted.map(\.key)) { writer, index in writer.add(sorted[index].value) }
  }

  /// Adds a dictionary whose values the caller adds, in the order of the keys.
  mutating func addDictionary(
    _ classes: [String], _ keys: [ArchivedObject], value: (inout KeyedArchiveWriter, Int) -> Reference
  ) -> Reference {
    reserve { writer in
      let names = keys.map { PropertyList.uid(writer.add($0)) }
      let values = keys.indices.map { PropertyList.uid(value(&writer, $0)) }
      return writer.record(classes, ["NS.keys": .array(names), "NS.objects": .array(values)])
    }
  }

  /// Adds an object of the given classes, the most derived one first and without `NSObject`.
  package mutating func add(_ classes: [String], _ fields: [String: PropertyList]) -> Reference {
    append(record(classes, fields))
  }

  /// Takes the number of an object that others refer to before it is complete, as in a circle; ``define(_:_:_:)`` completes it.
  package mutating func declare() -> Reference { append(.boolean(false)) }

  /// Completes an object that was declared.
  package mutating func define(
    _ reference: Reference, _ classes: [String], _ fields: [String: PropertyList]
  ) {
    objects[Int(reference)] = record(classes, fields)
  }
}

extension KeyedArchiveWriter {
  private mutating func addNull() -> Reference {
    if let nullReference { return nullReference }
    let reference = add(["NSNull"], [:])
    nullReference = reference
    return reference
  }

  private mutating func addURL(relative: String, base: String?) -> Reference {
    reserve { writer in
      let baseReference = base.map { writer.addURL(relative: $0, base: nil) } ?? 0
      let relativeReference = writer.share(.string(relative))
      return writer.record(
        ["NSURL"], ["NS.base": .uid(baseReference), "NS.relative": .uid(relativeReference)])
    }
  }

  private mutating func addOrderedSet(_ elements: [ArchivedObject]) -> Reference {
    reserve { writer in
      var fields: [String: PropertyList] = [:]
      for (index, element) in elements.enumerated() {
        fields["NS.object.\(index)"] = .uid(writer.add(element))
      }
      return writer.record(["NSOrderedSet"], fields)
    }
  }

  private mutating func addRecord(_ record: ArchivedRecord) -> Reference {
    reserve { writer in
      var fields: [String: PropertyList] = [:]
      for (key, field) in record.fields.sorted(by: { $0.key < $1.key }) {
        switch field {
        case .inline(let value): fields[key] = value
        // A missing object of a field is nil itself, not an object that stands for nil.
        case .object(.null): fields[key] = .uid(0)
        case .object(let object): fields[key] = .uid(writer.add(object))
        case .objects(let objects): fields[key] = .array(objects.map { .uid(writer.add($0)) })
        }
      }
      return writer.record(record.classes.filter { $0 != "NSObject" }, fields)
    }
  }

  mutating func record(_ classes: [String], _ fields: [String: PropertyList]) -> PropertyList {
    var fields = fields
    fields["$class"] = .uid(classRecord(classes))
    return .dictionary(fields)
  }

  private mutating func classRecord(_ classes: [String]) -> Reference {
    if let reference = referenceOfClass[classes] { return reference }
    let chain = classes + ["NSObject"]
    let reference = append(
      .dictionary(["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })]))
    referenceOfClass[classes] = reference
    return reference
  }

  /// Takes the next number for a container before its contents, so that archives read from the outside in.
  mutating func reserve(_ build: (inout KeyedArchiveWriter) -> PropertyList) -> Reference {
    let reference = append(.boolean(false))
    objects[Int(reference)] = build(&self)
    return reference
  }

  private mutating func share(_ scalar: PropertyList) -> Reference {
    // "$null" at 0 means nil, so a text that reads the same must not be shared with it; it has its own entry.
    if let reference = referenceOfScalar[scalar] { return reference }
    let reference = append(scalar)
    referenceOfScalar[scalar] = reference
    return reference
  }

  private mutating func append(_ object: PropertyList) -> Reference {
    objects.append(object)
    return Reference(objects.count - 1)
  }

  /// An order for keys and elements of sets, so that equal collections give equal bytes.
  private static func precedes(_ left: ArchivedObject, _ right: ArchivedObject) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.integer(let left), .integer(let right)): left < right
    default: KeyedArchive.encode(left).lexicographicallyPrecedes(KeyedArchive.encode(right))
    }
  }
}

extension KeyedArchive {
  /// Archives one value under a root key.
  ///
  /// Text and numbers are stored plainly, collections as their immutable classes.
  public static func encode(_ object: ArchivedObject, key: String = "root") -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let reference = writer.add(object)
    return writer.encode(roots: [key: reference])
  }
}
