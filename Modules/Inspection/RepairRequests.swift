import ChangeTracking
import SyncProtocol

/// What repairs have asked for in the name of nobody who takes part: no device takes such a request back.
extension DocumentReader {
  /// What is asked for.
  var requests: [ResendRequest] {
    entries.compactMap { if case .request(let request) = $0.role { request } else { nil } }
  }

  /// Whether nobody has asked who takes part.
  ///
  /// - Parameter authors: those of the sets.
  func isOfRepair(_ request: ResendRequest, _ authors: Set<AuthorID>) -> Bool {
    newestHeads[request.asker] == nil && !authors.contains(request.asker) && isGenuine(request) == true
  }

  /// The requests of repairs for something.
  func repairRequests(for subject: ResendRequest.Subject) -> [ResendRequest] {
    let asked = requests.filter { $0.subject == subject }
    guard !asked.isEmpty else { return [] }
    let authors = Set(sets.map(\.author))
    return asked.filter { isOfRepair($0, authors) }
  }

  /// The requests of repairs for what is not missing any more.
  func metRequests(_ lost: [Verification.Lost]) -> [ResendRequest] {
    let requests = requests
    guard !requests.isEmpty else { return [] }
    let open = Set(lost.filter { $0.document == hierarchy }.map(\.subject))
    let authors = Set(sets.map(\.author))
    return requests.filter { !open.contains($0.subject) && isOfRepair($0, authors) }
  }
}

extension Verification {
  /// What is not there of a document.
  func lost(of document: DocumentReader) -> [Lost] { lost.filter { $0.document == document.hierarchy } }

  /// Reports requests that have done their work. Long values are missed by sets alone.
  ///
  /// - Parameter isComplete: whether all sets could be read.
  mutating func noteMetRequests(_ document: DocumentReader, isComplete: Bool) {
    // Whether anything is missing where nothing was listed nobody knows.
    guard document.application.unlisted.isListedDown(document.hierarchy.root) else { return }
    for request in document.metRequests(lost) {
      if case .value = request.subject, !isComplete { continue }
      findings.append(
        Finding(
          .requestMet, path: document.hierarchy.file(of: request).description,
          message: "A repair has asked for something that is not missing any more. Nothing depends on it.",
          next: "Nothing need be done; “ticds-inspect repair” removes it with whatever else it does."))
    }
  }
}
