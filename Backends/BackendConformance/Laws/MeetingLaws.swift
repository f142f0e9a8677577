import Locking
import SyncProtocol

// Requests of several clients meet at one name or in one folder.
extension BackendConformance {
  static let meetingLaws = [
    Law("of many clients that move to one free name at once, exactly one succeeds where that is promised") {
      context in
      try context.require(.honestCreateIfAbsent, "honestCreateIfAbsent")
      try context.require(.move, "move")
      try await context.forManyRounds { round in
        let race = try await MoveRace(context, round)
        let (winners, losers) = try await race.run()
        try context.expect(
          winners.count == 1,
          "\(winners.count) of \(race.clients.count) clients moved to one name in round \(round)")
        try await race.expectContent(of: winners[0], at: race.destination)
        for (number, error) in losers {
          try context.expect(
            (error as? BackendError)?.code == .alreadyExists,
            "client \(number), which came too late with a move, was told \(error)")
        }
      }
    },
    Law("whoever fails to move to a name that another took still has what was to be moved") { context in
      try context.require(.move, "move")
      try await context.forManyRounds { round in
        let race = try await MoveRace(context, round)
        let (winners, losers) = try await race.run()
        try context.expect(!winners.isEmpty, "nobody got a name that was free: \(losers.map(\.error))")
        for (number, error) in losers {
          let source = race.source(number)
          let isThere = try await context.isPresent(context.path(source))
          try context.expect(isThere, "“\(source)” is gone, though its move failed: \(error)")
          try await race.expectContent(of: number, at: source)
        }
      }
    },
    Law(
      "of clients that create a name and clients that move to it, exactly one succeeds where that is promised"
    ) {
      context in
      try context.require(.honestCreateIfAbsent, "honestCreateIfAbsent")
      try context.require(.move, "move")
      let clients = try await context.clients(6)
      try await context.forManyRounds { round in
        let path = try context.path("taken-\(round)")
        let contents = clients.indices.map { LawContext.bytes(500 + $0, seed: UInt64($0)) }
        for number in clients.indices where number % 2 == 0 {
          try await context.write(contents[number], to: "taken-\(round)-by-\(number)")
        }
        let winners = try await withThrowingTaskGroup { group in
          // By turns those who move begin, and those who create.
          let order = Array(clients.enumerated())
          for (number, client) in round % 2 == 0 ? order : order.reversed() {
            let source = try context.path("taken-\(round)-by-\(number)")
            group.addTask { () -> Int? in
              do throws(BackendError) {
                if number % 2 == 0 { try await client.move(source, to: path) }
                if number % 2 == 1 { try await client.createIfAbsent(contents[number], at: path) }
                return number
              } catch {
                guard error.code == .unsupported else { return nil }
                throw context.skip("the back end does not move")
              }
            }
          }
          return try await group.reduce(into: []) { winners, winner in winner.map { winners.append($0) } }
        }
        try context.expect(
          winners.count == 1, "\(winners.count) of \(clients.count) clients got one name in round \(round)")
        try await context.expectContent(contents[winners[0]], at: "\(path)")
      }
    },
    Law(
      "what is written into a folder while it is moved is at one of the places, or its writer is told that it is not"
    ) {
      context in
      let other = try await context.anotherClient()
      for round in 0..<5 {
        let (source, destination) = ("moving-\(round)", "moved-\(round)")
        try await context.fill(source, 20)
        let isMoved = Locked(false)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let writer = Task { () -> [String] in
          var written: [String] = []
          // So many that a listing need not have pages.
          for number in 0..<70 where isMoved.withLock({ !$0 }) {
            let path = try context.path("\(source)/late-\(number)")
            do throws(BackendError) { try await other.upload([2, UInt8(number % 250)], to: path) } catch {
              // Once it has been moved away, the folder is missing.
              guard error.code != .cancelled else { throw error }
              start.finish()
              try? await Task.sleep(for: .microseconds(300))
              continue
            }
            written.append("late-\(number)")
            if number == 3 { start.finish() }
            try? await Task.sleep(for: .microseconds(300))
          }
          start.finish()
          return written
        }
        for await _ in started {}
        var outcome = Result<Bool, any Error>.success(true)
        do {
          outcome = .success(try await context.moveIfPossible(source, to: destination))
        } catch {
          // Storage may find the folder too busy to be moved, and then has moved nothing.
          outcome = (error as? BackendError)?.code.isTransient == true ? .success(true) : .failure(error)
        }
        isMoved.withLock { $0 = true }
        let written = try await writer.value
        guard try outcome.get() else { throw context.skip("the back end does not move folders") }
        let places = [try await context.settled(in: source), try await context.settled(in: destination)]
        let lost = Set(written).subtracting(places.flatMap(\.self))
        try context.expect(
          lost.isEmpty,
          "of \(written.count) files that were written into a folder while it was moved, \(lost.count) are at neither place: \(lost.sorted().prefix(3))"
        )
        let old = Set((0..<20).map { "file-\($0)" }).subtracting(places.flatMap(\.self))
        try context.expect(
          old.isEmpty, "of a folder that was moved while others wrote, \(old.sorted()) are at neither place")
      }
    },
    Law("a listing shows what lies there all the while, once each, whatever others remove and add meanwhile")
    {
      context in
      try await context.fill("folder", context.sizes.entries)
      let folder = try context.path("folder")
      let other = try await context.anotherClient()
      let names = try await context.names(in: "folder")
      // That all is listed while nothing happens is a law of its own.
      guard Set(names).count == context.sizes.entries else { return }
      // Each second one goes. What went or came is behind, before and amid what stays.
      let stayed = Set(names.indices.filter { $0 % 2 == 1 }.map { names[$0] })
      var going = names.filter { !stayed.contains($0) }[...]
      var known = Set(names)
      let step = min(20, max(1, going.count / 10))
      for round in 1...10 {
        let removed = going.prefix(step)
        going = going.dropFirst(step)
        let added = ["a", "file-00", "z"].map { "\($0)-\(round)" }
        known.formUnion(added)
        try await context.expectListing(of: folder, stayed: stayed, known: known, "were removed") {
          for name in removed { try await other.remove(folder.appending(context.name(name))) }
        }
        try await context.expectListing(of: folder, stayed: stayed, known: known, "were added") {
          for name in added { try await other.upload([1], to: folder.appending(context.name(name))) }
        }
      }
    },
    Law("a file whose folder is removed while it is written is there, or its writer is told that it is not") {
      context in
      let other = try await context.anotherClient()
      let scratch = try ScratchFolder()
      let source = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try source.write()
      let uploads: [(String, @Sendable (RemotePath, @escaping TransferProgress) async throws -> Void)] = [
        ("uploaded", { try await context.backend.upload(file: source.path, to: $0, progress: $1) }),
        ("created", { try await context.backend.createIfAbsent(file: source.path, at: $0, progress: $1) }),
      ]
      for (what, upload) in uploads {
        let (folder, file) = (try context.path(what), try context.path("\(what)/file"))
        try await context.write([1], to: "\(what)/other")
        var refusal: BackendError?
        let result = try await context.holding { progress in
          try await upload(file, progress)
        } middle: { _ in
          // Storage may refuse to remove a folder that somebody writes into, and have taken away what lay there by then.
          do { try await other.remove(folder) } catch let error as BackendError { refusal = error }
        }
        let isThere = try await context.isPresent(file)
        switch result {
        case .success:
          try context.expect(
            isThere, "“\(file)” was \(what) while its folder was removed, so it is said, and it is not there")
          try await context.backend.download(file, toFile: scratch.file("target"))
          try context.expect(try scratch.matches("target", source), "“\(file)” is there and not whole")
        case .failure(let error):
          let code = (error as? BackendError)?.code
          try context.expect(
            code == .notFound, "a file that was \(what) while its folder was removed gave \(error)")
          try context.expect(!isThere, "“\(file)” is there, though its writer was told \(error)")
        }
        try await context.expectSound(
          folder, holding: isThere ? ["file"] : [], isRefused: refusal != nil)
      }
    },
  ]
}

/// Clients that each move an entry of their own to one name, all at once: files, and in every second round folders.
private struct MoveRace: Sendable {
  let clients: [any SyncBackend]
  let destination: String
  private let context: LawContext
  private let isOfFolders: Bool

  /// Makes what is to be moved.
  init(_ context: LawContext, _ round: Int) async throws {
    clients = try await context.clients(8)
    destination = "taken-\(round)"
    self.context = context
    isOfFolders = round % 2 == 1
    for number in clients.indices {
      try await context.write(content(number), to: isOfFolders ? "\(source(number))/file" : source(number))
    }
  }

  func source(_ number: Int) -> String { "\(destination)-by-\(number)" }
  private func content(_ number: Int) -> [UInt8] { LawContext.bytes(1_000, seed: UInt64(number)) }

  func run() async throws -> (winners: [Int], losers: [(number: Int, error: any Error)]) {
    let results = await withTaskGroup { group in
      for (number, client) in clients.enumerated() {
        group.addTask { () -> (number: Int, error: (any Error)?) in
          do {
            try await client.move(context.path(source(number)), to: context.path(destination))
            return (number, nil)
          } catch { return (number, error) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let losers = results.compactMap { result in result.error.map { (number: result.number, error: $0) } }
    if losers.contains(where: { ($0.error as? BackendError)?.code == .unsupported }) {
      throw context.skip("the back end does not move")
    }
    return (results.filter { $0.error == nil }.map(\.number), losers)
  }

  /// Looks whether a file is the one that a client had. That folders move with their content is a law of its own.
  func expectContent(of number: Int, at place: String) async throws {
    if !isOfFolders { try await context.expectContent(content(number), at: place) }
  }
}

extension LawContext {
  /// Lists a folder while something else happens, and looks whether what comes back shows what was there all the while.
  fileprivate func expectListing(
    of folder: RemotePath, stayed: Set<String>, known: Set<String>, _ what: String,
    _ meanwhile: () async throws -> Void
  ) async throws {
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let listing = Task {
      start.finish()
      return try await backend.list(folder)
    }
    for await _ in started {}
    try await meanwhile()
    var listed: [String] = []
    do { listed = try await listing.value.entries.map(\.name.description) } catch let error as BackendError {
      // A service that stumbles over what has gone says so, and is asked again when nothing happens.
      guard error.code.isTransient else { throw error }
      listed = try await names(in: folder.description)
    }
    let missed = stayed.subtracting(listed)
    try expect(
      missed.isEmpty,
      "of \(stayed.count) entries that stayed, \(missed.count) are not listed while others \(what): \(missed.sorted().prefix(3))"
    )
    let names = Set(listed)
    try expect(
      names.count == listed.count,
      "while entries \(what), \(listed.count) entries were listed under \(names.count) names")
    let strange = names.subtracting(known)
    try expect(
      strange.isEmpty, "while entries \(what), \(strange.sorted().prefix(3)) were listed, which never were")
  }

  /// Looks whether a folder that was removed amid a transfer into it is all there or all gone, and of use.
  ///
  /// - Parameters:
  ///   - folder: which folder.
  ///   - names: what the transfer has put there.
  ///   - isRefused: whether the removal was refused, so that the folder and the file “other” may still be there.
  fileprivate func expectSound(
    _ folder: RemotePath, holding names: [String], isRefused: Bool
  ) async throws {
    let before: Set<String> = isRefused ? ["other"] : []
    let state = "“\(folder)”, removed amid a transfer into it that \(names.isEmpty ? "failed" : "succeeded"),"
    let isListed = try await self.names(in: "").contains(folder.description)
    let isPresent = try await isPresent(folder)
    try expect(
      isListed == isPresent,
      "\(state) is \(isListed ? "" : "not ")listed and \(isPresent ? "" : "not ")there")
    try expect(isPresent == !names.isEmpty || isRefused, "\(state) is \(isPresent ? "" : "not ")there")
    let found = try await remaining(in: "\(folder)").filter { !before.contains($0) }
    try expect(found == names, "\(state) lists \(found) in place of \(names)")
    try await write([2], to: "\(folder)/next")
    try await expectContent([2], at: "\(folder)/next")
    let after = try await backend.list(folder)
    // That what was in a removed folder does not come back when it is made again is a law of its own.
    let all = after.entries.map(\.name.description).filter { $0 != "other" }.sorted()
    try expect(
      all == names + ["next"] && after.foreign.isEmpty, "\(state) and written into again, holds \(after)")
    try await patiently {
      do { try await backend.remove(folder) } catch let error as BackendError {
        guard error.code == .notFound else { throw error }
      }
      return try await !self.isPresent(folder)
    } otherwise: {
      "\(state) cannot be removed again"
    }
  }
}
