import CoreDataFormats

/// Indexes, and what attributes are derived from.
extension CompiledModel {
  /// Where fetch indexes are listed, they are all that there are; what older compilers say beside them is the same once more.
  func addIndexes(
    _ record: KeyedArchive.Record, to entity: inout EntityDeclaration
  ) throws(CoreDataFormatError) {
    guard let reference = record.reference("NSFetchIndexDescriptions") else {
      entity.indexes = try nameLists(record, "NSCompoundIndexes").filter { !$0.isEmpty }
        .map { IndexDescription($0.joined(separator: "_"), on: $0) }
      return
    }
    var indexed: Set<String> = []
    for element in try archive.elements(reference) {
      guard let index = try archive.record(element), let name = try text(index, "NSIndexName"),
        let list = index.reference("NSIndexElements")
      else { continue }
      var description = IndexDescription(name, on: [])
      for element in try archive.elements(list) {
        guard let element = try archive.record(element), let name = try text(element, "NSPropertyName") else {
          continue
        }
        description.properties.append(name)
        if element.fields["NSAscending"]?.integerValue == 0 { description.descending.insert(name) }
      }
      if description == IndexDescription(name, on: [name]), let property = entity.property(named: name) {
        // An index that has its property's name is what marking the property as indexed makes; relationships have one anyway.
        if property.asAttribute != nil { indexed.insert(name) }
      } else if !description.properties.isEmpty {
        entity.indexes.append(description)
      }
    }
    entity.properties = entity.properties.map { property in
      guard case .attribute(var attribute) = property else { return property }
      attribute.isIndexed = indexed.contains(attribute.name)
      return .attribute(attribute)
    }
  }

  /// The text of an expression that an attribute is derived from; `nil` if it is none that Core Data's editor makes.
  func derivation(_ reference: Reference) throws(CoreDataFormatError) -> String? {
    guard let expression = try archive.record(reference) else { return nil }
    let arguments = try expression.reference("NSArguments").map { list throws(CoreDataFormatError) in
      try archive.elements(list)
    }
    switch expression.className {
    case "NSKeyPathExpression":
      guard let first = arguments?.first, let specifier = try archive.record(first) else { return nil }
      return try text(specifier, "NSKeyPath")
    case "NSKeyPathSpecifierExpression": return try text(expression, "NSKeyPath")
    case "NSFunctionExpression":
      guard let selector = try text(expression, "NSSelectorName") else { return nil }
      var texts: [String] = []
      for argument in arguments ?? [] {
        guard let text = try derivation(argument) else { return nil }
        texts.append(text)
      }
      return "\(selector)(\(texts.joined(separator: ", ")))"
    default: return nil
    }
  }
}

extension EntityDeclaration {
  fileprivate func property(named name: String) -> PropertyDescription? {
    properties.first { $0.name == name }
  }
}
