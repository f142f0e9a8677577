import SyncProtocol

extension BackendConformance {
  static let rootLaws = [
    Law("the root is never removed, moved or replaced") { context in
      try await context.write([1], to: "folder/file")
      let requests: [(String, () async throws -> Void)] = [
        ("removing the root", { try await context.backend.remove(.root) }),
        ("writing to the root", { try await context.backend.upload([2], to: .root) }),
        ("creating the root", { try await context.backend.createIfAbsent([2], at: .root) }),
        ("moving the root", { try await context.backend.move(.root, to: context.path("inner")) }),
      ]
      for (what, request) in requests {
        do {
          try await request()
        } catch is BackendError { continue }
        throw ConformanceFailure(description: "\(what) succeeded")
      }
      try await context.expectContent([1], at: "folder/file")
    },
    Law("the root has no name, so nobody examines it") { context in
      try await context.expectFailure(.isADirectory, of: "examining the root") {
        try await context.backend.stat(.root)
      }
    },
    Law("a root that is absent is out of reach, neither absent nor empty", alsoOfPages: true) { context in
      let path = try context.path("file")
      var clients = [("without a root", try await context.clientWithoutRoot())]
      if let takeRootAway = context.storage.takeRootAway {
        // A client that has seen the root has no reason to take it for empty when it has gone.
        try await context.backend.upload([1], to: path)
        _ = try await context.backend.list(.root)
        try await takeRootAway()
        clients.append(("whose root has gone", context.backend))
      }
      for (which, client) in clients {
        let requests: [(String, () async throws -> Void)] = [
          ("listing", { _ = try await client.list(.root) }),
          ("listing a folder", { _ = try await client.list(path) }),
          ("examining a file", { _ = try await client.stat(path) }),
          ("downloading a file", { _ = try await client.download(path, limit: 10) }),
          ("uploading a file", { try await client.upload([1], to: path) }),
          ("creating a file", { try await client.createIfAbsent([1], at: path) }),
          ("removing a file", { try await client.remove(path) }),
        ]
        for (what, request) in requests {
          try await context.expectFailure(.unreachable, of: "\(what) \(which)", request)
        }
      }
    },
    Law("a root that is absent is not made") { context in
      let client = try await context.clientWithoutRoot()
      for folder in [RemotePath.root, try context.path("folder")] {
        do {
          try await client.makeDirectory(folder)
        } catch is BackendError { continue }
        throw ConformanceFailure(description: "making “\(folder)” without a root succeeded")
      }
      do {
        _ = try await client.list(.root)
      } catch is BackendError { return }
      throw ConformanceFailure(description: "the absent root was made")
    },
  ]
}

extension LawContext {
  fileprivate func clientWithoutRoot() async throws -> any SyncBackend {
    guard let absentRoot = storage.absentRoot else {
      throw skip("the suite was given no way to reach storage without a root")
    }
    return try await absentRoot()
  }
}
