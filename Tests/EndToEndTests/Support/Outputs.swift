import Foundation

/// An element of `list --json`.
struct NoteOutput: Decodable, Equatable {
  let syncID: String
  let title: String
  let content: String
  let tags: [String]
  var notArrived: [String] = []
}

/// `sync --json`
struct SyncOutput: Decodable {
  let pushed: Int
  let pulled: Int
  let applied: Int
  let conflicts: Int
  let warnings: Int
  let requests: Int
  let bytes: Int
  let seconds: Double
  let details: Details

  struct Details: Decodable {
    let pushedSets: Int
    let pulledSets: Int
    let conflicts: [ConflictOutput]
  }

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }
}

struct ConflictOutput: Decodable {
  let entity: String
  let syncID: String
  let key: String
  let outcome: String
}

/// `status --json`
struct StatusOutput: Decodable {
  let pending: Int
  let applied: [String: Int]
  let devices: [DeviceOutput]
  let lastSync: String?
}

struct DeviceOutput: Decodable {
  let client: String?
  let isThisDevice: Bool
  let hasSeenEverything: Bool
}
