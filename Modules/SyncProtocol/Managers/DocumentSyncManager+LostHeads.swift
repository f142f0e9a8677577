import ChangeTracking

/// Devices whose heads storage has lost, and that perhaps write none any more.
extension DocumentSyncManager {
  /// Devices that are known here and have no head: without them nobody could remove one that is gone for good.
  ///
  /// Not those who came back as another author, who have said their sets again, nor former selves of this store.
  func devicesWithoutHead(_ listed: [RemoteDocument.Device]) throws -> [RemoteDocument.Device] {
    let present = Set(listed.map(\.author))
    let names = try pins.deviceNames()
    let superseded = try pins.supersededAuthors()
    let applied = try replica.status().applied
    let own = try replica.author
    let former = try replica.formerAuthors()
    return applied.filter { one in
      one.author != own && one.sequence > 0 && names[one.author] != nil && !present.contains(one.author)
        && superseded[one.author] == nil && !former.contains(one.author)
    }.map { one in
      RemoteDocument.Device(
        author: one.author, client: one.client.isEmpty ? nil : one.client, name: names[one.author],
        pushed: one.sequence, seen: 0)
    }.sorted { $0.author < $1.author }
  }
}
