/// Unfolds references of one archive to trees, each object once.
struct ArchiveUnfolder {
  private enum Entry {
    case underway
    case done(ArchivedObject, unfoldedSize: Int)
  }

  private let archive: KeyedArchive
  private let policy: ClassPolicy
  private var entries: [KeyedArchive.Reference: Entry] = [:]
  private var depth = 0
  private var unfoldedSize = 0

  init(_ archive: KeyedArchive, policy: ClassPolicy) {
    self.archive = archive
    self.policy = policy
  }

  mutating func value(_ reference: KeyedArchive.Reference) throws(FormatError) -> ArchivedObject {
    var size = unfoldedSize
    let value = try value(reference, size: &size)
    unfoldedSize = size
    guard unfoldedSize <= archive.limits.unfoldedSize else {
      throw archive.failure(
        .limitExceeded, reference, "an unfolded size of at most \(archive.limits.unfoldedSize)")
    }
    return value
  }

  /// Adds the unfolded size of the object to `size`.
  private mutating func value(
    _ reference: KeyedArchive.Reference, size total: inout Int
  ) throws(FormatError) -> ArchivedObject {
    guard reference != 0 else {
      total += 1
      return .null
    }
    switch entries[reference] {
    case .done(let value, let size):
      total += size
      return value
    case .underway: throw archive.failure(.cycle, reference, "no object inside itself")
    case nil: break
    }
    guard depth < archive.limits.depth else {
      throw archive.failure(.limitExceeded, reference, "at most \(archive.limits.depth) nested objects")
    }
    entries[reference] = .underway
    depth += 1
    defer { depth -= 1 }
    var size = 1
    let value = try decode(reference, size: &size)
    guard size <= archive.limits.unfoldedSize else {
      throw archive.failure(
        .limitExceeded, reference, "an unfolded size of at most \(archive.limits.unfoldedSize)")
    }
    entries[reference] = .done(value, unfoldedSize: size)
    total += size
    return value
  }

  private mutating func decode(
    _ reference: KeyedArchive.Reference, size: inout Int
  ) throws(FormatError) -> ArchivedObject {
    if let record = try archive.record(reference) {
      guard policy.allows(record.classes) else {
        throw archive.failure(
          .classNotAllowed, reference, "an allowed class instead of “\(record.className)”")
      }
      return try object(record, at: reference, size: &size)
    }
    let stored = try archive.object(reference)
    guard let scalar = ArchivedObject(scalar: stored) else {
      throw archive.malformed(reference, "a scalar or an object with a class")
    }
    switch stored {
    case .string(let text): size += text.utf8.count / 16
    case .data(let bytes): size += bytes.count / 16
    default: break
    }
    return scalar
  }
}

// MARK: - Classes

extension ArchiveUnfolder {
  private mutating func object(
    _ record: KeyedArchive.Record, at reference: KeyedArchive.Reference, size: inout Int
  ) throws(FormatError) -> ArchivedObject {
    // The most derived known class decides; a subclass that encodes itself differently is kept as a record.
    for name in record.classes {
      guard let plain = try plainObject(name, record, reference, &size) else { continue }
      return plain
    }
    guard !ClassPolicy.foundationNames.contains(record.className) else {
      throw archive.malformed(reference, "the fields of the class “\(record.className)”")
    }
    guard policy.allowsRecord(record.classes) else {
      throw archive.failure(.classNotAllowed, reference, "an allowed class instead of “\(record.className)”")
    }
    return .record(try opaque(record, at: reference, size: &size))
  }

  /// The value of an object as the class `name` encodes it; `nil` if the class is not known or the fields are others.
  private mutating func plainObject(
    _ name: String, _ record: KeyedArchive.Record, _ reference: KeyedArchive.Reference, _ size: inout Int
  ) throws(FormatError) -> ArchivedObject? {
    let fields = record.fields
    switch name {
    case "NSNull": return .null
    case "NSString":
      return try scalarField("NS.string", of: record).flatMap { if case .string = $0 { $0 } else { nil } }
    case "NSData":
      return try scalarField("NS.data", of: record).flatMap { if case .data = $0 { $0 } else { nil } }
    case "NSDate": return fields["NS.time"]?.doubleValue.map { .date($0) }
    case "NSUUID":
      return fields["NS.uuidbytes"]?.dataValue.flatMap(ArchivedUUID.init(bytes:)).map { .uuid($0) }
    case "NSDecimalNumber": return ArchivedDecimal(fields: fields).map { .decimal($0) }
    case "NSURL": return try url(fields, size: &size)
    case "NSArray": return try elements(fields, size: &size).map { .array($0) }
    case "NSOrderedSet": return try elements(fields, size: &size).map { .orderedSet($0) }
    case "NSSet": return try elements(fields, size: &size).map { .set(Set($0)) }
    case "NSDictionary": return try dictionary(fields, at: reference, size: &size)
    default: return nil
    }
  }

  /// Text or bytes in place, or in an object of their own.
  private func scalarField(
    _ key: String, of record: KeyedArchive.Record
  ) throws(FormatError) -> ArchivedObject? {
    guard let field = record.fields[key] else { return nil }
    guard let reference = field.uidValue else { return ArchivedObject(scalar: field) }
    return ArchivedObject(scalar: try archive.object(reference))
  }

  private mutating func url(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(FormatError) -> ArchivedObject? {
    guard let relative = fields["NS.relative"]?.uidValue,
      case .string(let text) = try value(relative, size: &size)
    else { return nil }
    guard let base = fields["NS.base"]?.uidValue else { return .url(relative: text, base: nil) }
    switch try value(base, size: &size) {
    case .null: return .url(relative: text, base: nil)
    case .string(let base): return .url(relative: text, base: base)
    case .url(let relative, let base):
      return .url(relative: text, base: base.map { $0 + relative } ?? relative)
    default: return nil
    }
  }

  /// The elements of a collection: one list of references, or numbered keys as classes write them that archive
  /// themselves into any coder.
  private mutating func elements(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(FormatError) -> [ArchivedObject]? {
    if let list = fields["NS.objects"] {
      guard let references = list.arrayValue else { return nil }
      return try values(references, size: &size)
    }
    var elements: [ArchivedObject] = []
    while let reference = fields["NS.object.\(elements.count)"]?.uidValue {
      elements.append(try value(reference, size: &size))
    }
    return elements.count == fields.count ? elements : nil
  }

  private mutating func values(
    _ references: [PropertyList], size: inout Int
  ) throws(FormatError) -> [ArchivedObject]? {
    var values: [ArchivedObject] = []
    values.reserveCapacity(references.count)
    for reference in references {
      guard let reference = reference.uidValue else { return nil }
      values.append(try value(reference, size: &size))
    }
    return values
  }

  private mutating func dictionary(
    _ fields: [String: PropertyList], at reference: KeyedArchive.Reference, size: inout Int
  ) throws(FormatError) -> ArchivedObject? {
    if fields["searchMapping"] != nil { return try knownKeysDictionary(fields, size: &size) }
    guard let keys = fields["NS.keys"]?.arrayValue, let objects = fields["NS.objects"]?.arrayValue else {
      return nil
    }
    guard keys.count == objects.count else { throw archive.malformed(reference, "as many values as keys") }
    guard let keys = try values(keys, size: &size), let objects = try values(objects, size: &size) else {
      return nil
    }
    return .dictionary(Dictionary(zip(keys, objects)) { _, last in last })
  }

  /// `NSKnownKeysDictionary1`, which Core Data uses in model caches: the keys stand in a mapping that several
  /// dictionaries may share, and an absent value is marked by a token.
  private mutating func knownKeysDictionary(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(FormatError) -> ArchivedObject? {
    guard let mapping = fields["searchMapping"]?.uidValue, let list = fields["values"]?.uidValue,
      let record = try archive.record(mapping), let names = record.fields["keys"]?.uidValue,
      case .array(let keys) = try value(names, size: &size),
      case .array(let objects) = try value(list, size: &size), keys.count == objects.count
    else { return nil }
    let empty = try fields["emptyToken"]?.uidValue.map { reference throws(FormatError) in
      try value(reference, size: &size)
    }
    let present = zip(keys, objects).filter { $0.1 != empty }
    return .dictionary(Dictionary(present) { _, last in last })
  }

  private mutating func opaque(
    _ record: KeyedArchive.Record, at reference: KeyedArchive.Reference, size: inout Int
  ) throws(FormatError) -> ArchivedRecord {
    var fields: [String: ArchivedRecord.Field] = [:]
    for (key, stored) in record.fields.sorted(by: { $0.key < $1.key }) {
      size += 1
      if let target = stored.uidValue {
        fields[key] = .object(try value(target, size: &size))
      } else if let references = stored.arrayValue, !references.isEmpty,
        let objects = try values(references, size: &size)
      {
        fields[key] = .objects(objects)
      } else {
        guard ArchivedObject(propertyList: stored) != nil else {
          throw archive.malformed(reference, "no references inside the value of “\(key)”")
        }
        fields[key] = .inline(stored)
      }
    }
    return ArchivedRecord(classes: record.classes, fields: fields)
  }
}
