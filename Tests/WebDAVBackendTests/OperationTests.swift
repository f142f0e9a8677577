import SyncProtocol
import Testing

@testable import WebDAVBackend

/// Operations against servers that answer anything at any point: all sequences of answers are tried.
@Suite struct OperationTests {
  private static let replies: [DAVReply] =
    [200, 201, 204, 301, 400, 401, 403, 404, 405, 409, 412, 413, 423, 425, 429, 500, 503, 507].map {
      .status($0)
    }
    + [.failed(Failure(.unreachable)), .failed(Failure(.cancelled))]
  private static let looks: [DAVReply] = [
    .found(nil), .found(.file), .found(.folder), .failed(Failure(.unreachable)), .failed(Failure(.forbidden)),
  ]
  private static let path = RemotePath("folder/file")

  private static let traits: [ServerTraits] = (0..<64).map { bits in
    var traits = ServerTraits.unknown
    traits.writesAtomically = bits & 1 != 0
    traits.needsFolders = bits & 2 != 0
    traits.honoursConditions = bits & 4 != 0
    traits.moves = bits & 8 != 0
    traits.refusesToOverwrite = bits & 16 != 0
    traits.keepsFolders = bits & 32 != 0
    traits.makesFoldersOnce = bits & 1 != 0
    return traits
  }

  /// Follows all roads of an operation.
  ///
  /// - Returns: the requests and replies of each, and how it ended.
  private func roads(
    _ operation: some DAVOperation, replies: [DAVReply] = Self.replies
  ) -> [(steps: [(DAVRequest, DAVReply)], end: DAVStep)] {
    var roads: [(steps: [(DAVRequest, DAVReply)], end: DAVStep)] = []
    func follow(_ operation: some DAVOperation, _ step: DAVStep, _ steps: [(DAVRequest, DAVReply)]) {
      guard case .send(let request) = step, steps.count < 14 else {
        roads.append((steps, step))
        return
      }
      var answers = replies
      if case .look = request { answers = Self.looks }
      for reply in answers {
        var next = operation
        let step = next.next(reply)
        follow(next, step, steps + [(request, reply)])
      }
    }
    var first = operation
    let step = first.start()
    follow(first, step, [])
    return roads
  }

  private func isSuccess(_ reply: DAVReply) -> Bool { reply.failure == nil }

  @Test(arguments: [true, false])
  func `a write ends, and succeeds only with the request that gives the file its name`(_ isReplacing: Bool)
    throws
  {
    let path = try #require(Self.path)
    for traits in Self.traits {
      for isSmall in [true, false] {
        let operation = WriteOperation(path, replacing: isReplacing, isSmall: isSmall, traits: traits)
        for (steps, end) in roads(operation) {
          if case .send = end {
            Issue.record("\(traits): never ends: \(steps)")
            return
          }
          guard end == .finish else { continue }
          let last = try #require(steps.last)
          #expect(isSuccess(last.1))
          switch last.0 {
          case .put(let target, _): #expect(target == Target(path))
          case .move(_, let target, _): #expect(target == Target(path))
          default: Issue.record("finished with \(last)")
          }
        }
      }
    }
  }

  @Test func `a write never replaces a folder, and a creation never anything`() throws {
    let path = try #require(Self.path)
    for traits in Self.traits {
      for isReplacing in [true, false] {
        for (steps, _) in roads(
          WriteOperation(path, replacing: isReplacing, isSmall: true, traits: traits))
        {
          for (index, step) in steps.enumerated() {
            guard case .move(_, _, replacing: true) = step.0 else { continue }
            #expect(isReplacing)
            let before = steps[..<index].last { if case .look(path) = $0.0 { true } else { false } }
            #expect(before?.1 == .found(nil) || before?.1 == .found(.file))
          }
          guard !isReplacing, !traits.honoursConditions || !traits.writesAtomically else { continue }
          for case (.put(let target, let ifAbsent), _) in steps where target == Target(path) && !ifAbsent {
            #expect(steps.contains { $0.0 == .look(path) && $0.1 == .found(nil) })
          }
        }
      }
    }
  }

  @Test func `an empty file is not written over another one, where servers truncate in place`() throws {
    let path = try #require(Self.path)
    for traits in Self.traits where traits.moves {
      for (steps, _) in roads(
        WriteOperation(path, replacing: true, isSmall: true, isEmpty: true, traits: traits))
      {
        for case (.put(let target, _), _) in steps { #expect(target != Target(path)) }
      }
    }
  }

  @Test func `a write that finds its folder missing is repeated if the folder has appeared since, once`()
    throws
  {
    let path = try #require(Self.path)
    for traits in Self.traits where traits.needsFolders {
      var write = WriteOperation(path, replacing: true, isSmall: true, traits: traits)
      var step = write.start()
      var writes = 0
      while case .send(let request) = step, writes < 3 {
        switch request {
        case .put:
          writes += 1
          step = write.next(.status(409))
        case .look(let subject): step = write.next(.found(subject == path ? nil : .folder))
        default:
          Issue.record("\(traits): \(request)")
          return
        }
      }
      #expect(writes == 2, "\(traits)")
      guard case .fail(let error) = step else {
        Issue.record("\(step)")
        return
      }
      #expect(error.code == .failed && error.recovery == Remedy.expectSense.rawValue)
    }
  }

  @Test func `a temporary file that was written is moved or removed`() throws {
    let path = try #require(Self.path)
    for traits in Self.traits where traits.moves {
      for (steps, end) in roads(WriteOperation(path, replacing: true, isSmall: true, traits: traits)) {
        let wasWritten = steps.contains { step in
          if case .put(let target, _) = step.0 { target != Target(path) && isSuccess(step.1) } else { false }
        }
        guard wasWritten, end != .finish else { continue }
        guard case .clean = end else {
          Issue.record("\(traits): \(steps) leaves a file and ends with \(end)")
          return
        }
      }
    }
  }

  @Test(arguments: [405, 500, 502, 507])
  func `what a server keeps of a file that it could not write is removed`(_ status: Int) throws {
    let path = try #require(Self.path)
    for traits in Self.traits where traits.moves && traits.needsFolders {
      var write = WriteOperation(path, replacing: false, isSmall: false, traits: traits)
      guard case .send(.put(let temporary, _)) = write.start() else { continue }
      #expect(temporary != Target(path))
      var step = write.next(.status(status))
      while case .send(.look(let subject)) = step {
        step = write.next(.found(subject == path ? nil : .folder))
      }
      guard case .clean(temporary, _) = step else {
        Issue.record("\(traits): \(step)")
        continue
      }
    }
  }

  @Test func `a refusal that means something keeps its meaning`() throws {
    let path = try #require(Self.path)
    let meanings: [(Int, BackendError.Code)] = [
      (401, .unauthorised), (413, .quotaExceeded), (423, .locked), (425, .rateLimited), (429, .rateLimited),
      (503, .unreachable), (507, .quotaExceeded),
    ]
    var traits = ServerTraits.unknown
    traits.needsFolders = true
    for (status, code) in meanings {
      var write = WriteOperation(path, replacing: true, isSmall: true, traits: traits)
      _ = write.start()
      let error = Failure(status: status).error(at: path)
      switch write.next(.status(status)) {
      case .fail(let found): #expect(found == error && status != 507)
      // The disk of the server is full, and a part of the file may lie there.
      case .clean(_, let found): #expect(found == error && status == 507)
      case let step: Issue.record("\(status): \(step)")
      }
      #expect(Failure(status: status).code == code)
      var remove = RemoveOperation(path)
      _ = remove.start()
      let refusal = Failure(status: status).withoutFile(needsRoom: true)
      #expect(remove.next(.status(status)) == .fail(refusal.error(at: path)))
      #expect(refusal.code == (status == 413 ? .unreachable : code))
    }
    #expect(Failure(status: 503, retryAfter: .seconds(7)).code == .rateLimited)
  }

  /// Those that are told apart, and some that nobody knows.
  private static let statuses = [
    300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415,
    417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508,
    509, 511, 520, 530, 599,
  ]

  /// Whether a person is told what to do, or the code says it.
  private func isExplained(_ error: BackendError, _ last: DAVReply?, mayExist: Bool) -> Bool {
    switch error.code {
    case .failed, .unsupported, .damaged: Remedy(rawValue: error.recovery) != nil
    case .alreadyExists: mayExist && last != .found(nil)
    case .localFile: false
    default: true
    }
  }

  @Test(arguments: statuses)
  func `whatever a server answers, it is not put down to the program`(_ status: Int) throws {
    let path = try #require(Self.path)
    let other = try #require(RemotePath("other"))
    func check(_ operation: some DAVOperation, mayExist: Bool = false) {
      for (steps, end) in roads(operation, replies: [.status(201), .status(status)]) {
        switch end {
        case .finish: continue
        case .send: Issue.record("never ends: \(steps)")
        case .fail(let error), .clean(_, let error):
          #expect(isExplained(error, steps.last?.1, mayExist: mayExist), "\(error) after \(steps)")
        }
      }
    }
    for traits in Self.traits.prefix(32) {
      check(WriteOperation(path, replacing: true, isSmall: true, traits: traits))
      check(WriteOperation(path, replacing: false, isSmall: true, traits: traits), mayExist: true)
      check(MakeFolderOperation(path, traits: traits))
      if traits.moves { check(MoveOperation(path, to: other, traits: traits), mayExist: true) }
    }
    check(RemoveOperation(path))
  }

  @Test(arguments: [(201, nil), (404, "f"), (409, "f"), (412, "f")] as [(Int, String?)])
  func `a folder that was made and is not there, or is not made where it can be, is a contradiction`(
    _ status: Int, _ parent: String?
  ) throws {
    let path = try #require(RemotePath("f/g"))
    var operation = MakeFolderOperation(path, traits: .unknown)
    #expect(operation.start() == .send(.makeFolder(path)))
    var step = operation.next(.status(status))
    // Of the folder above, too, it is said that it cannot be made, and then that it is there.
    var count = 0
    while case .send(let request) = step, count < 8 {
      count += 1
      switch request {
      case .look(let place): step = operation.next(.found(place == path ? nil : .folder))
      default: step = operation.next(.status(status))
      }
    }
    guard case .fail(let error) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(error.code == .unreachable && error.recovery == Remedy.expectSense.rawValue)
  }

  @Test(arguments: [true, false])
  func `making folders ends, and succeeds only if the folder is there`(_ once: Bool) throws {
    let path = try #require(RemotePath("a/b/c"))
    var traits = ServerTraits.unknown
    traits.makesFoldersOnce = once
    for (steps, end) in roads(MakeFolderOperation(path, traits: traits)) {
      if case .send = end {
        Issue.record("never ends: \(steps)")
        return
      }
      guard end == .finish, let last = steps.last else { continue }
      #expect(
        last.0 == .look(path) && last.1 == .found(.folder)
          || once && last.0 == .makeFolder(path) && isSuccess(last.1))
    }
  }

  @Test func `a move ends, never replaces, and a removal never touches the root`() throws {
    let path = try #require(Self.path)
    let other = try #require(RemotePath("other"))
    for traits in Self.traits {
      for (steps, end) in roads(MoveOperation(path, to: other, traits: traits)) {
        if case .send = end { Issue.record("never ends: \(steps)") }
        for case (.move(_, _, replacing: true), _) in steps { Issue.record("replaces") }
      }
    }
    for (steps, end) in roads(RemoveOperation(path)) {
      if case .send = end { Issue.record("never ends: \(steps)") }
      for case (.delete(let target), _) in steps { #expect(target.segment == "file") }
    }
    var removal = RemoveOperation(.root)
    #expect(removal.start() == .fail(BackendError(.isADirectory, path: .root)))
  }

  @Test func `a root that is not there is unreachable, whatever is asked`() throws {
    let path = try #require(Self.path)
    func end(_ operation: some DAVOperation) -> DAVStep {
      var operation = operation
      var step = operation.start()
      while case .send(let request) = step {
        if case .look = request {
          step = operation.next(.found(nil))
        } else {
          step = operation.next(.status(404))
        }
      }
      return step
    }
    for traits in Self.traits where traits.moves {
      let ends = [
        end(WriteOperation(path, replacing: true, isSmall: true, traits: traits)),
        end(WriteOperation(path, replacing: false, isSmall: true, traits: traits)),
        end(MakeFolderOperation(path, traits: traits)), end(RemoveOperation(path)),
        end(MoveOperation(path, to: RemotePath([]).appending(try #require(path.name)), traits: traits)),
      ]
      for end in ends {
        switch end {
        case .fail(let error), .clean(_, let error): #expect(error.code == .unreachable)
        default: Issue.record("\(end)")
        }
      }
    }
  }
}
