/// A value out of a keyed archive: what was archived, without any class being instantiated.
///
/// Mutable and immutable variants of a class are the same case. `nil` and `NSNull` are both ``null``, because
/// Core Data writes one for the other.
public indirect enum ArchivedObject: Hashable, Sendable {
  /// `nil` or `NSNull`.
  case null
  /// An `NSNumber` made from a Boolean.
  case boolean(Bool)
  /// An `NSNumber` with a whole value.
  case integer(Int64)
  /// An `NSNumber` with a whole value above `Int64.max`.
  case unsigned(UInt64)
  /// An `NSNumber` of double precision.
  case real(Double)
  /// An `NSNumber` of single precision.
  case float(Float)
  /// An `NSDecimalNumber`.
  case decimal(ArchivedDecimal)
  /// An `NSString`.
  case string(String)
  /// An `NSData`.
  case data([UInt8])
  /// An `NSDate`: seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  /// An `NSUUID`.
  case uuid(ArchivedUUID)
  /// An `NSURL`: the text that is relative to the base, and the base if there is one.
  case url(relative: String, base: String?)
  /// An `NSArray`.
  case array([ArchivedObject])
  /// An `NSOrderedSet`.
  case orderedSet([ArchivedObject])
  /// An `NSSet`.
  case set(Set<ArchivedObject>)
  /// An `NSDictionary`; keys may be any value.
  case dictionary([ArchivedObject: ArchivedObject])
  /// An object of any other class, with everything that it encoded.
  case record(ArchivedRecord)
}

extension ArchivedObject {
  /// Whether two values are the same. Texts are if their characters are, one by one, as those of a `PropertyList`.
  public static func == (left: ArchivedObject, right: ArchivedObject) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.url(let left, let base), .url(let right, let otherBase)): left == right && base == otherBase
    case (.array(let left), .array(let right)): left == right
    case (.orderedSet(let left), .orderedSet(let right)): left == right
    case (.set(let left), .set(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.record(let left), .record(let right)): left == right
    default: false
    }
  }
}

/// An object of a class without a plain meaning here: inert, but complete, so that it can be shown and written back.
public struct ArchivedRecord: Hashable, Sendable {
  /// What an object encoded under one key.
  public enum Field: Hashable, Sendable {
    /// A C scalar, bytes or a structure, encoded in place.
    case inline(PropertyList)
    /// An object.
    case object(ArchivedObject)
    /// Several objects under one key, as collections encode them.
    case objects([ArchivedObject])
  }

  /// The class and its superclasses, the most derived one first.
  public var classes: [String]
  /// What the object encoded, by key.
  public var fields: [String: Field]

  /// Name of the object's class.
  public var className: String { classes.first ?? "NSObject" }

  /// Makes a record.
  public init(classes: [String], fields: [String: Field]) {
    self.classes = classes
    self.fields = fields
  }
}

extension ArchivedObject {
  /// A plain value as archives hold it in place. References and containers have no such form.
  init?(scalar: PropertyList) {
    switch scalar {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .real(let value): self = .real(value)
    case .float(let value): self = .float(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .uid, .array, .dictionary: return nil
    }
  }

  /// A property list as the objects that Foundation would make from it; `nil` if it contains references.
  public init?(propertyList: PropertyList) {
    switch propertyList {
    case .array(let elements):
      var objects: [ArchivedObject] = []
      for element in elements {
        guard let object = ArchivedObject(propertyList: element) else { return nil }
        objects.append(object)
      }
      self = .array(objects)
    case .dictionary(let pairs):
      var objects: [ArchivedObject: ArchivedObject] = [:]
      for (key, value) in pairs {
        guard let object = ArchivedObject(propertyList: value) else { return nil }
        objects[.string(key)] = object
      }
      self = .dictionary(objects)
    default: self.init(scalar: propertyList)
    }
  }

  /// The value as a property list; `nil` if a part of it is of a class that property lists do not have.
  public var propertyList: PropertyList? {
    switch self {
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .unsigned(let value): return .unsigned(value)
    case .real(let value): return .real(value)
    case .float(let value): return .float(value)
    case .string(let value): return .string(value)
    case .data(let value): return .data(value)
    case .date(let value): return .date(value)
    case .array(let elements):
      let values = elements.compactMap(\.propertyList)
      return values.count == elements.count ? .array(values) : nil
    case .dictionary(let pairs):
      var values: [String: PropertyList] = [:]
      for (key, value) in pairs {
        guard case .string(let name) = key, let value = value.propertyList else { return nil }
        values[name] = value
      }
      return .dictionary(values)
    case .null, .decimal, .uuid, .url, .orderedSet, .set, .record: return nil
    }
  }

  /// The value under a text key if this is a dictionary.
  public subscript(key: String) -> ArchivedObject? {
    if case .dictionary(let pairs) = self { pairs[.string(key)] } else { nil }
  }
}
