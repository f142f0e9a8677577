import ChangeTracking

/// What people call devices whose heads are missing: no head tells it, and messages are about them.
extension DocumentSyncManager {
  /// Learns the names of those whom a message is about from what describes their clients among the devices of the application: a request
  /// for each whose sets were merged here. What fails is left to the next time.
  func learnHeadlessNames(_ report: SyncReport) async throws {
    let missing = Set(report.findings.compactMap(\.missesHead))
    guard !missing.isEmpty else { return }
    let known = try pins.deviceNames()
    let unnamed = try replica.status().applied.filter {
      missing.contains($0.author) && known[$0.author] == nil && !$0.client.isEmpty
    }
    var names: [AuthorID: String] = [:]
    let hierarchy = application.hierarchy
    for applied in unnamed.prefix(max(0, min(Self.answerLimit, RegistrationPins.deviceLimit - known.count))) {
      guard let client = RemoteName(applied.client) else { continue }
      do {
        let bytes = try await backend.download(
          hierarchy.deviceInformation(of: client), limit: InformationFile.sizeLimit * 2)
        let content = try fileProtection(with: try await ring(), secrets: configuration.secrets).open(
          bytes, as: hierarchy.deviceContext(of: applied.client))
        names[applied.author] = try DeviceInformation(content).description
      } catch {
        try Task.checkCancellation()
      }
    }
    try pins.setDeviceNames(names)
  }
}
