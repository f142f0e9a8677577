import ChangeTracking
import Crypto

/// What people call devices may change. The name is the one of the configuration (``ApplicationConfiguration/clientDescription``): if it is
/// another one than the others were told, the next synchronisation tells them.
extension DocumentSyncManager {
  /// Reads what devices are called that were renamed since this device last looked.
  ///
  /// - Parameter again: whether to read all again: what could not be read may have arrived in full by now.
  func learnRenamings(_ listing: HeadListing, _ heads: HeadTransfer, again: Bool) async throws {
    guard !listing.renamings.isEmpty else { return }
    let known = try pins.renamings()
    let names = try pins.deviceNames()
    let own = try replica.author
    let news = listing.renamings.values.compactMap(\.last)
      .filter { $0.author != own && $0.time > 0 && (again || $0.time > known[$0.author] ?? 0) }
    var (read, times): ([AuthorID: String], [AuthorID: UInt64]) = ([:], known)
    for name in news.sorted().prefix(Self.answerLimit) {
      // What cannot be read is not asked for each time.
      read[name.author] = try await heads.read(name) ?? names[name.author] ?? ""
      times[name.author] = name.time
    }
    try pins.setDeviceNames(read, renamed: times)
  }

  /// Publishes what this device is called, if that is not what they were told: in a file of its own, which they are made aware of by
  /// their listing, in its head, and in what describes it. What said the former name goes.
  func publishName(_ heads: HeadTransfer, _ listing: HeadListing, _ report: inout SyncReport) async throws {
    let name = configuration.clientDescription
    guard let published = try pins.publishedName else { return try pins.setPublishedName(name) }
    guard published != name else { return }
    try await describeDevice()
    try await renameCreator(heads.protection, &report)
    let own = try replica.author
    // Sets of former authors of this store are shown by its name, too.
    let former = Set(try replica.sentAuthors()).intersection(listing.authors)
    let information = DeviceInformation(
      identifier: configuration.client.description, description: name,
      userInformation: configuration.userInformation)
    for author in former.union([own]).sorted() {
      let older = listing.renamings[author] ?? []
      let time = max(configuration.now() / 1_000, (older.last?.time ?? 0) + 1)
      let record = heads.protection.renaming(author: author, time: min(time, FixedWidth.limit))
      try await writingOwn(&report) { try await heads.publish(record, information) }
      for old in older where old != record { try? await backend.remove(hierarchy.file(of: old)) }
    }
    let vector = try replica.held()
    if let newest = listing.newest(of: own), newest.seen == vector.total {
      let head = try head(newest, vector: vector)
      try await writingOwn(&report) { try await heads.publish(head) }
    }
    try pins.setPublishedName(name)
  }

  /// Describes this device among those of the application, in place of what described it. For people only, so that something else in its place
  /// stops nothing.
  func describeDevice() async throws {
    let folder = application.hierarchy.clientDevices / configuration.client
    let path = application.hierarchy.deviceInformation(of: configuration.client)
    let information = DeviceInformation(
      identifier: configuration.client.description, description: configuration.clientDescription,
      userInformation: configuration.userInformation)
    let bytes = try fileProtection(with: try await ring(), secrets: configuration.secrets).seal(
      information.bytes, as: application.hierarchy.deviceContext(of: configuration.client.description))
    var unused = SyncReport()
    try await tolerating(&unused) {
      try await backend.makeFolder(folder)
      try await backend.upload(bytes, to: path)
      try pins.keep(path, bytes)
    }
  }

  /// Writes the name anew where the document's description names this device as the one that created it.
  private func renameCreator(_ protection: DocumentProtection, _ report: inout SyncReport) async throws {
    let path = hierarchy.information
    let client = configuration.client.description
    try await tolerating(&report) {
      let bytes = try await backend.download(path, limit: InformationFile.sizeLimit * 2)
      guard let content = try? protection.open(bytes, as: .information),
        var information = try? DocumentInformation(content), information.originalClient == client
      else { return }
      information.originalClientDescription = configuration.clientDescription
      let anew = try protection.seal(information.bytes, as: .information)
      try await backend.upload(anew, to: path)
      try pins.keep(path, anew)
    }
  }
}
