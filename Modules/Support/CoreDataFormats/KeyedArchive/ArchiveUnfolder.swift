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

  mutating func value(_ reference: KeyedArchive.Reference) throws(CoreDataFormatError) -> ArchivedObject {
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
  ) throws(CoreDataFormatError) -> ArchivedObject {
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
  ) throws(CoreDataFormatError) -> ArchivedObject {
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
  ) throws(CoreDataFormatError) -> ArchivedObject {
    // The most derived known class decides; a subclass that encodes itself differently is kept as a record.
    for name in record.classes {
      guard let plain = try plainObject(name, record, &size) else { continue }
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
    _ name: String, _ record: KeyedArchive.Record, _ size: inout Int
  ) throws(CoreDataFormatError) -> ArchivedObject? {
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
    case "NSDictionary": return try dictionary(fields, size: &size)
    default: return nil
    }
  }

  /// Text or bytes in place, or in an object of their own.
  private func scalarField(
    _ key: String, of record: KeyedArchive.Record
  ) throws(CoreDataFormatError) -> ArchivedObject? {
    guard let field = record.fields[key] else { return nil }
    guard let reference = field.uidValue else { return ArchivedObject(scalar: field) }
    return ArchivedObject(scalar: try archive.object(reference))
  }

  private mutating func url(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(CoreDataFormatError) -> ArchivedObject? {
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

  private mutating func elements(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(CoreDataFormatError) -> [ArchivedObject]? {
    guard let references = archive.elementReferences(fields) else { return nil }
    return try values(references, size: &size)
  }

  private mutating func dictionary(
    _ fields: [String: PropertyList], size: inout Int
  ) throws(CoreDataFormatError) -> ArchivedObject? {
    guard let entries = try archive.entryReferences(fields) else { return nil }
    let keys = try values(entries.map(\.key), size: &size)
    let objects = try values(entries.map(\.value), size: &size)
    return .dictionary(Dictionary(zip(keys, objects)) { _, last in last })
  }

  private mutating func values(
    _ references: [KeyedArchive.Reference], size: inout Int
  ) throws(CoreDataFormatError) -> [ArchivedObject] {
    var values: [ArchivedObject] = []
    values.reserveCapacity(references.count)
    for reference in references {
      values.append(try value(reference, size: &size))
      // Checked here too, because what follows may hash all elements.
      guard size <= archive.limits.unfoldedSize else {
        throw archive.failure(
          .limitExceeded, reference, "an unfolded size of at most \(archive.limits.unfoldedSize)")
      }
    }
    return values
  }

  private mutating func opaque(
    _ record: KeyedArchive.Record, at reference: KeyedArchive.Reference, size: inout Int
  ) throws(CoreDataFormatError) -> ArchivedRecord {
    var fields: [String: ArchivedRecord.Field] = [:]
    for (key, stored) in record.fields.sorted(by: { $0.key < $1.key }) {
      size += 1
      if let target = stored.uidValue {
        fields[key] = .object(try value(target, size: &size))
      } else if let targets = archive.references(stored), !targets.isEmpty {
        fields[key] = .objects(try values(targets, size: &size))
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
