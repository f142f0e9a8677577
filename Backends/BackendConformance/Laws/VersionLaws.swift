import Foundation
import SyncProtocol

// What is told of a file is a matter of the storage, not of the client that asks or of when it was started.
extension BackendConformance {
  static let versionLaws = [
    Law("a version is the same to whoever comes later, and another once the content is") { context in
      let path = try context.path("file")
      var writer = context.backend
      var seen: [Told: (versions: Set<String>, isOfUse: Bool)] = [:]
      for round in 0..<5 {
        // Of different sizes: that content of one size has different versions is a law of its own.
        try await writer.upload(LawContext.bytes(3_000 + round, seed: 1), to: path)
        let told = try await context.versions(of: path, to: writer)
        guard round > 0 || !told.isEmpty else { throw context.skip("the back end tells no versions") }
        for (how, version) in told {
          var known = seen[how] ?? ([], true)
          // So is that a version changes while the storage stays open.
          if round == 1, known.versions.contains(version) { known.isOfUse = false }
          try context.expect(
            !known.isOfUse || !known.versions.contains(version),
            "new content is \(how) with the version “\(version)” of content that was written before the storage was opened again"
          )
          known.versions.insert(version)
          seen[how] = known
        }
        guard round > 0 else { continue }
        try await context.storage.reopen()
        writer = try await context.anotherClient()
        let again = try await context.versions(of: path, to: writer)
        // What is fresh may have no version yet that anybody could rely upon.
        for (how, version) in told {
          try context.expect(
            version == again[how] ?? version,
            "a file that nobody wrote was \(how) with the version “\(version)”, and with “\(again[how] ?? "")” by a client that came later"
          )
        }
      }
    },
    Law("a date is the same to whoever comes later") { context in
      let path = try context.path("file")
      try await context.backend.upload([1], to: path)
      let told = try await context.told(of: path, to: context.backend)
      guard told.examined.modified != nil || told.listed.modified != nil else {
        throw context.skip("the back end tells no dates")
      }
      // What others do beside it does not change it.
      try await context.backend.upload([2], to: context.path("other"))
      try await context.storage.reopen()
      let again = try await context.told(of: path, to: context.anotherClient())
      for (how, before, after) in [
        ("examined", told.examined.modified, again.examined.modified),
        ("listed", told.listed.modified, again.listed.modified),
      ] {
        guard let before, let after else { continue }
        try context.expect(
          before == after,
          "a file that nobody wrote was \(how) with the date \(before), and with \(after) by a client that came later"
        )
      }
    },
    Law("a file that is written from an old file of this device has the date of the writing") { context in
      let scratch = try ScratchFolder()
      let source = scratch.file("source")
      try scratch.write([1], to: source)
      let old = Date(timeIntervalSince1970: 1_000_000_000)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: source)
      try await context.backend.upload([1], to: context.path("marker"))
      try await context.backend.upload(file: source, to: context.path("uploaded"))
      try await context.backend.createIfAbsent(file: source, at: context.path("created"))
      let marker = try await context.told(of: context.path("marker"), to: context.backend)
      guard marker.examined.modified != nil || marker.listed.modified != nil else {
        throw context.skip("the back end tells no dates")
      }
      for name in ["uploaded", "created"] {
        let told = try await context.told(of: context.path(name), to: context.backend)
        for (how, before, date) in [
          ("examined", marker.examined.modified, told.examined.modified),
          ("listed", marker.listed.modified, told.listed.modified),
        ] {
          guard let before, let date else { continue }
          // Told in seconds, or in pairs of them.
          try context.expect(
            (date - before) / .seconds(1) > -2.5,
            "“\(name)” is \(how) with the date \(date), though it was written after one with the date \(before)"
          )
        }
      }
    },
    Law("a listing and an examination tell the same of a file") { context in
      let path = try context.path("file")
      for count in [1, 3_000] {
        try await context.backend.upload(LawContext.bytes(count, seed: 1), to: path)
        let told = try await context.told(of: path, to: context.backend)
        let (examined, listed) = (told.examined, told.listed)
        try context.expect(
          examined.kind == listed.kind && examined.name == listed.name
            && examined.version ?? listed.version == listed.version ?? examined.version,
          "a file is examined as \(examined), and listed as \(listed)")
        guard let date = examined.modified, let other = listed.modified else { continue }
        // One of them may be told in seconds, or in pairs of them.
        try context.expect(
          abs((date - other) / .seconds(1)) < 2.5,
          "a file is examined with the date \(date), and listed with \(other)")
      }
    },
    Law("a file that is written again has a later date") { context in
      let path = try context.path("file")
      try await context.backend.upload([1], to: path)
      let before = try await context.told(of: path, to: context.backend)
      guard before.examined.modified != nil || before.listed.modified != nil else {
        throw context.skip("the back end tells no dates")
      }
      // Some storage counts in pairs of seconds.
      try await Task.sleep(for: .milliseconds(2_100))
      try await context.backend.upload([2, 2], to: path)
      let after = try await context.told(of: path, to: context.backend)
      for (how, first, second) in [
        ("examined", before.examined.modified, after.examined.modified),
        ("listed", before.listed.modified, after.listed.modified),
      ] {
        guard let first, let second else { continue }
        try context.expect(
          second > first, "a file that was written again is \(how) with the date \(second), and had \(first)")
      }
    },
  ]
}

/// How something was told.
private enum Told: String, CustomStringConvertible {
  case examined, listed
  var description: String { rawValue }
}

extension LawContext {
  /// What a client is told of a file in the root.
  fileprivate func told(
    of path: RemotePath, to client: any SyncBackend
  ) async throws -> (examined: RemoteEntry, listed: RemoteEntry) {
    let examined = try await client.stat(path)
    guard let listed = try await client.list(.root).entries.first(where: { $0.name == path.name }) else {
      throw ConformanceFailure(description: "“\(path)” can be examined and is not listed")
    }
    return (examined, listed)
  }

  /// The versions of a file in the root, however they are told.
  fileprivate func versions(of path: RemotePath, to client: any SyncBackend) async throws -> [Told: String] {
    let told = try await told(of: path, to: client)
    var versions: [Told: String] = [:]
    versions[.examined] = told.examined.version
    versions[.listed] = told.listed.version
    return versions
  }
}
