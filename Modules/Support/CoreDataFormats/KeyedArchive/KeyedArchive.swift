/// The envelope of an archive in the shape of `NSKeyedArchiver`: a table of objects that refer to each other, and
/// named roots.
///
/// ``decode(_:allowing:)`` unfolds a root to a tree of inert values. Graphs with cycles, such as compiled models, are
/// walked with ``record(_:)`` and ``value(_:allowing:)`` instead.
public struct KeyedArchive: Sendable {
  /// Number of an object in the archive's table; 0 is `nil`.
  public typealias Reference = UInt32

  /// One object that is not a scalar.
  public struct Record: Sendable {
    /// The class and its superclasses, the most derived one first.
    public let classes: [String]
    /// What the object encoded: references for objects, other values in place.
    public let fields: [String: PropertyList]

    /// Name of the object's class.
    public var className: String { classes[0] }

    /// The object that a key refers to; `nil` when there is none or it is `nil` itself.
    public func reference(_ key: String) -> Reference? {
      guard let reference = fields[key]?.uidValue, reference != 0 else { return nil }
      return reference
    }
  }

  let objects: [PropertyList]
  let offsets: [Int]
  let limits: DecodingLimits
  let start: Int
  /// The named roots.
  public let roots: [String: Reference]

  /// Opens an archive.
  ///
  /// - Throws: ``CoreDataFormatError`` if it is no binary property list or no keyed archive.
  public init(_ bytes: ArraySlice<UInt8>, limits: DecodingLimits = .standard) throws(CoreDataFormatError) {
    var reader = try BinaryPropertyListReader(bytes, limits: limits)
    start = bytes.startIndex
    self.limits = limits
    guard case .dictionary(let top) = try reader.topObject(),
      top["$archiver"]?.stringValue == "NSKeyedArchiver"
    else {
      throw CoreDataFormatError(
        .otherFormat, in: .keyedArchive, at: start, expected: "$archiver NSKeyedArchiver")
    }
    guard top["$version"]?.integerValue == 100_000 else {
      throw CoreDataFormatError(.unsupported, in: .keyedArchive, at: start, expected: "$version 100000")
    }
    guard case .array(let objects) = top["$objects"], objects.count <= limits.objects else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, at: start, expected: "$objects with at most \(limits.objects) objects")
    }
    guard case .dictionary(let named) = top["$top"] else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, at: start, expected: "$top with the named roots")
    }
    // Values in $top that are no references are scalars encoded at top level, which nothing here needs.
    roots = named.compactMapValues(\.uidValue)
    self.objects = objects
    offsets = try reader.elementOffsets(underTopKey: "$objects")
  }

  /// Opens an archive that fills an array.
  ///
  /// - Throws: ``CoreDataFormatError`` if it is no binary property list or no keyed archive.
  public init(_ bytes: [UInt8], limits: DecodingLimits = .standard) throws(CoreDataFormatError) {
    try self.init(bytes[...], limits: limits)
  }

  /// Unfolds a root to a tree of values.
  ///
  /// - Parameters:
  ///   - key: Name of the root.
  ///   - policy: The classes to accept.
  /// - Throws: ``CoreDataFormatError`` with `cycle`, `classNotAllowed`, `malformed` or `limitExceeded`.
  public func decode(
    _ key: String = "root", allowing policy: ClassPolicy = .plain
  ) throws(CoreDataFormatError) -> ArchivedObject {
    try value(root(key), allowing: policy)
  }

  /// The object of a named root.
  ///
  /// - Throws: ``CoreDataFormatError`` if there is no such root.
  public func root(_ key: String = "root") throws(CoreDataFormatError) -> Reference {
    guard let reference = roots[key] else {
      throw CoreDataFormatError(.malformed, in: .keyedArchive, at: start, expected: "a root named “\(key)”")
    }
    return reference
  }

  /// Unfolds one object to a tree of values.
  ///
  /// - Throws: ``CoreDataFormatError`` with `cycle`, `classNotAllowed`, `malformed` or `limitExceeded`.
  public func value(
    _ reference: Reference, allowing policy: ClassPolicy = .plain
  ) throws(CoreDataFormatError) -> ArchivedObject {
    var unfolder = ArchiveUnfolder(self, policy: policy)
    return try unfolder.value(reference)
  }

  /// One object with its fields as they stand in the archive; `nil` if the object is a scalar or `nil`.
  ///
  /// - Throws: ``CoreDataFormatError`` if the reference or the object's class record is wrong.
  public func record(_ reference: Reference) throws(CoreDataFormatError) -> Record? {
    guard case .dictionary(var fields) = try object(reference) else { return nil }
    guard let classReference = fields.removeValue(forKey: "$class")?.uidValue else {
      throw malformed(reference, "an object with a $class")
    }
    guard case .dictionary(let description) = try object(classReference),
      let name = description["$classname"]?.stringValue
    else { throw malformed(classReference, "a class record with a $classname") }
    let chain = description["$classes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    return Record(classes: chain.first == name ? chain : [name] + chain, fields: fields)
  }
}

extension KeyedArchive {
  func object(_ reference: Reference) throws(CoreDataFormatError) -> PropertyList {
    guard Int(reference) < objects.count else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, at: start,
        expected: "a reference below \(objects.count) instead of \(reference)")
    }
    return objects[Int(reference)]
  }

  func malformed(_ reference: Reference, _ expectation: String) -> CoreDataFormatError {
    failure(.malformed, reference, expectation)
  }

  func failure(_ code: CoreDataFormatError.Code, _ reference: Reference, _ expectation: String)
    -> CoreDataFormatError
  {
    let offset = Int(reference) < offsets.count ? offsets[Int(reference)] : start
    return CoreDataFormatError(
      code, in: .keyedArchive, at: offset, expected: "\(expectation) (object \(reference))")
  }
}
