import ChangeTracking
import SyncProtocol

/// Conflicts that a sync decided, in words: one sentence for what two devices wrote into one note.
struct ConflictSentences {
  let sentences: [String]

  init(_ report: SyncReport, _ titles: NoteTitles) {
    var order: [Meeting] = []
    var keys: [Meeting: [String]] = [:]
    for conflict in report.conflicts {
      let meeting = Meeting(
        note: conflict.id.object.string, client: conflict.remoteClient, outcome: conflict.outcome)
      if keys[meeting] == nil { order.append(meeting) }
      if !keys[meeting, default: []].contains(conflict.id.key) {
        keys[meeting, default: []].append(conflict.id.key)
      }
    }
    let bearers = Dictionary(grouping: report.clients.values, by: \.self).mapValues(\.count)
    sentences = order.map { meeting in
      let other = Self.device(meeting.client, report.clients[meeting.client] ?? "", bearers)
      let outcome =
        switch meeting.outcome {
        case .local: "what this device wrote remains"
        case .remote: "what \(other) wrote took its place"
        case .custom: "both were brought together"
        case nil: "it is not decided yet"
        }
      let keys = keys[meeting, default: []].joined(separator: ", ")
      return "\(keys) of note \(titles.shown(meeting.note)) was changed here and by \(other); \(outcome)"
    }
  }

  /// What to call a device; with its identifier where several have its name.
  private static func device(_ client: String, _ name: String, _ bearers: [String: Int]) -> String {
    if name.isEmpty { return client }
    return bearers[name, default: 0] > 1 ? "“\(name)” (\(client))" : "“\(name)”"
  }

  private struct Meeting: Hashable {
    let note: String
    let client: String
    let outcome: Conflict.Outcome?
  }
}
