/// What is said of the to-many links that were touched.
extension Replica {
  func freeze(
    _ link: TouchedRows.Link, touched: TouchedRows, by author: AuthorID, into builder: inout ChangeSetBuilder
  ) throws {
    let entity = names.entities[link.entity]
    guard entity.properties.indices.contains(link.bit),
      case .toMany(let destination) = entity.properties[link.bit].kind
    else { return }
    // The deletion of its source erases a link.
    guard touched.deletedSyncID(of: link.source, root: entity.root) == nil else { return }
    let targetRoot = try names.number(of: destination, root: destination)
    guard let source = try syncID(of: link.source, root: entity.root, touched),
      let target = try syncID(of: link.target, root: targetRoot, touched)
    else { return }
    // A target that came and went between two sets is known to nobody.
    if touched.deletedSyncID(of: link.target, root: targetRoot) != nil,
      try objects.find(target, root: targetRoot, authors: authors) == nil
    {
      return
    }
    let stamp = Stamp(time: link.time, author: author)
    var sourceSlot = try objects.obtain(source, root: entity.root, authors: authors)
    var targetSlot = try objects.obtain(target, root: targetRoot, authors: authors)
    // A link of a relationship that is its own inverse has no direction: it stands at the lesser identifier.
    if entity.properties[link.bit].isSymmetric, target < source { swap(&sourceSlot, &targetSlot) }
    objects[sourceSlot].hasTraces = true
    objects[targetSlot].hasTraces = true
    var cell = try links.cell(
      source: objects[sourceSlot].id, bit: link.bit, target: objects[targetSlot].id, authors: authors)
    if link.isAdded, !entity.properties[link.bit].order.isEmpty {
      noteOrder(sourceSlot, bit: link.bit, target: targetSlot, at: link.time)
    }
    if link.isAdded { cell.added = max(cell.added, stamp) } else { cell.removed = max(cell.removed, stamp) }
    try links.write(cell, authors: authors)

    let number = objects[sourceSlot].entity == 0 ? link.entity : objects[sourceSlot].entity
    let index = builder.index(of: number, in: names)
    let property = builder.index(of: link.bit, of: number, at: index, in: names)
    let member = objects[targetSlot].syncID
    builder.append(
      link.isAdded ? .link(property: property, target: member) : .unlink(property: property, target: member),
      to: objects[sourceSlot].syncID, entity: index, at: link.time)
  }

  private func syncID(of row: Int64, root: Int, _ touched: TouchedRows) throws -> SyncID? {
    if let deleted = touched.deletedSyncID(of: row, root: root) { return deleted }
    return try store.syncID(root: names.entities[root].name, row: row)
  }
}
