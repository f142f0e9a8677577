/// The archive that holds a binary store's objects: a dictionary from primary keys to `NSDictionaryMapNode`s.
///
/// The nodes are read by walking the archive, so that the class of a relationship's list stays visible.
struct BinaryStoreMap {
  static let nodeClasses = ["NSDictionaryMapNode", "NSStoreMapNode"]

  private let archive: KeyedArchive
  private let policy: ClassPolicy

  init(_ archive: KeyedArchive, policy: ClassPolicy) {
    self.archive = archive
    self.policy = policy
  }

  func nodes() throws(CoreDataFormatError) -> [BinaryStore.Node] {
    let root = try archive.root("mapData")
    guard let map = try archive.record(root), map.classes.contains("NSDictionary"),
      let references = map.fields["NS.objects"]?.arrayValue
    else { throw archive.malformed(root, "a dictionary of nodes") }
    // One unfolder for all nodes: what they share is decoded once, and its size is counted for each.
    var unfolder = ArchiveUnfolder(archive, policy: policy)
    var nodes: [BinaryStore.Node] = []
    nodes.reserveCapacity(references.count)
    for reference in references {
      guard let reference = reference.uidValue else { throw archive.malformed(root, "references to nodes") }
      nodes.append(try node(reference, &unfolder))
    }
    nodes.sort { $0.primaryKey < $1.primaryKey }
    for (node, next) in zip(nodes, nodes.dropFirst()) where node.primaryKey == next.primaryKey {
      throw archive.malformed(root, "primary key \(node.primaryKey) only once")
    }
    return nodes
  }

  private func node(
    _ reference: KeyedArchive.Reference, _ unfolder: inout ArchiveUnfolder
  ) throws(CoreDataFormatError) -> BinaryStore.Node {
    guard let record = try archive.record(reference), record.classes.contains("NSStoreMapNode") else {
      throw archive.malformed(reference, "an NSDictionaryMapNode")
    }
    // A key of 0 would send Core Data looking for reference data of another kind, which no known file has.
    guard let key = record.fields["NSPrimaryKey64"]?.integerValue, key > 0 else {
      throw archive.malformed(reference, "a positive NSPrimaryKey64")
    }
    guard let name = record.reference("NSEntityName"), case .string(let entity) = try unfolder.value(name)
    else {
      throw archive.malformed(reference, "text as NSEntityName")
    }
    var node = BinaryStore.Node(primaryKey: key, entityName: entity, attributeValues: [])
    if let values = record.reference("NSAttributeValues") {
      guard case .array(let slots) = try unfolder.value(values) else {
        throw archive.malformed(values, "an array of attribute values")
      }
      node.attributeValues = slots
    } else if let values = record.reference("NSAttributes") {
      guard case .dictionary(let pairs) = try unfolder.value(values) else {
        throw archive.malformed(values, "a dictionary of attributes")
      }
      var attributes: [String: ArchivedObject] = [:]
      for case (.string(let name), let value) in pairs { attributes[name] = value }
      node.namedAttributes = attributes
    } else {
      throw archive.malformed(reference, "NSAttributeValues")
    }
    if let related = record.reference("NSRelatedNodes") {
      node.relatedNodes = try relatedNodes(related, &unfolder)
    }
    return node
  }

  private func relatedNodes(
    _ reference: KeyedArchive.Reference, _ unfolder: inout ArchiveUnfolder
  ) throws(CoreDataFormatError) -> [String: BinaryStore.RelatedNodes] {
    guard let record = try archive.record(reference), record.classes.contains("NSDictionary"),
      let names = record.fields["NS.keys"]?.arrayValue, let lists = record.fields["NS.objects"]?.arrayValue,
      names.count == lists.count
    else { throw archive.malformed(reference, "a dictionary from relationships to primary keys") }
    var related: [String: BinaryStore.RelatedNodes] = [:]
    for (name, list) in zip(names, lists) {
      guard let name = name.uidValue, case .string(let relationship) = try unfolder.value(name),
        let list = list.uidValue
      else { throw archive.malformed(reference, "text as relationship name") }
      related[relationship] = try primaryKeys(list, &unfolder)
    }
    return related
  }

  private func primaryKeys(
    _ reference: KeyedArchive.Reference, _ unfolder: inout ArchiveUnfolder
  ) throws(CoreDataFormatError) -> BinaryStore.RelatedNodes {
    let elements: [ArchivedObject] =
      switch try unfolder.value(reference) {
      case .array(let elements), .orderedSet(let elements): elements
      case .set(let elements): Array(elements)
      default: throw archive.malformed(reference, "an array of primary keys")
      }
    var keys: [Int64] = []
    keys.reserveCapacity(elements.count)
    for element in elements {
      guard case .integer(let key) = element else {
        throw archive.malformed(reference, "integers as primary keys")
      }
      keys.append(key)
    }
    let isToMany = try archive.record(reference)?.className != "NSArray" || keys.count != 1
    return BinaryStore.RelatedNodes(primaryKeys: keys, isToMany: isToMany)
  }
}
