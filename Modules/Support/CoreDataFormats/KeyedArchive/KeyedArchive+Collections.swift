/// Collections by reference, for callers that walk a graph instead of unfolding it.
extension KeyedArchive {
  /// The elements of an archived array, set or ordered set.
  ///
  /// - Throws: ``CoreDataFormatError`` if the object is no such collection.
  public func elements(_ reference: Reference) throws(CoreDataFormatError) -> [Reference] {
    guard let record = try record(reference), let elements = elementReferences(record.fields) else {
      throw malformed(reference, "a collection")
    }
    return elements
  }

  /// The entries of an archived dictionary.
  ///
  /// - Throws: ``CoreDataFormatError`` if the object is no dictionary.
  public func entries(_ reference: Reference) throws(CoreDataFormatError) -> [(
    key: Reference, value: Reference
  )] {
    guard let record = try record(reference), let entries = try entryReferences(record.fields) else {
      throw malformed(reference, "a dictionary")
    }
    return entries
  }

  /// One list of references, or numbered keys as classes write them that archive themselves into any coder.
  func elementReferences(_ fields: [String: PropertyList]) -> [Reference]? {
    if let list = fields["NS.objects"] { return references(list) }
    var elements: [Reference] = []
    while let reference = fields["NS.object.\(elements.count)"]?.uidValue { elements.append(reference) }
    return elements.count == fields.count ? elements : nil
  }

  /// Two lists of references; or the fields of `NSKnownKeysDictionary1`, which Core Data uses in model caches: the keys
  /// stand in a mapping that several dictionaries may share, and an absent value is marked by a token.
  func entryReferences(
    _ fields: [String: PropertyList]
  ) throws(CoreDataFormatError) -> [(key: Reference, value: Reference)]? {
    if let mapping = fields["searchMapping"]?.uidValue {
      guard let names = try record(mapping)?.fields["keys"]?.uidValue, let list = fields["values"]?.uidValue
      else {
        return nil
      }
      let keys = try elements(names)
      let values = try elements(list)
      guard keys.count == values.count else { throw malformed(list, "as many values as keys") }
      let token = try fields["emptyToken"]?.uidValue.map { reference throws(CoreDataFormatError) in
        try object(reference)
      }
      var entries: [(key: Reference, value: Reference)] = []
      for (key, value) in zip(keys, values) where try object(value) != token { entries.append((key, value)) }
      return entries
    }
    guard let keys = fields["NS.keys"].flatMap(references),
      let values = fields["NS.objects"].flatMap(references)
    else { return nil }
    guard keys.count == values.count else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, at: start,
        expected: "\(keys.count) values for as many keys in a dictionary")
    }
    return Array(zip(keys, values)).map { (key: $0, value: $1) }
  }

  func references(_ list: PropertyList) -> [Reference]? {
    guard let elements = list.arrayValue else { return nil }
    let references = elements.compactMap(\.uidValue)
    return references.count == elements.count ? references : nil
  }
}
