import SyncProtocol

/// Writes a file: under its name where the server does that atomically, else under a temporary name that is then moved.
struct WriteOperation: DAVOperation {
  private enum State {
    case lookingForFolder
    /// Whether a folder is in the way, where the server would put the file in its place.
    case lookingBeforeWriting
    case writing
    case writingTemporary
    /// Whether something is in the way of a move that must not replace, where the server's word is not trusted.
    case lookingForEntry
    case moving
    /// The name is taken, and may be by a folder, which no move may replace.
    case lookingForObstacle
    case replacing
    case diagnosing(Diagnosis, cleaning: Bool)
  }

  private let path: RemotePath
  private let isReplacing: Bool
  private let traits: ServerTraits
  private let writesDirectly: Bool
  private let temporary: Target
  private var state = State.writing
  /// Whether it was begun again, because another writer has made the folder in between.
  private var isRepeated = false

  /// - Parameters:
  ///   - replacing: whether an existing file is replaced, or the write refused.
  ///   - isSmall: whether the transfer takes no time worth mentioning. A name that must be free is then decided upon with the
  ///     transfer; else afterwards, when the file gets its name.
  ///   - isEmpty: whether there is nothing to transfer. A server may then truncate what is there in place, and go on telling
  ///     its former length for a while (lighttpd), so an empty file replaces none directly.
  ///   - temporaryName: a name that nobody else uses.
  init(
    _ path: RemotePath, replacing: Bool, isSmall: Bool, isEmpty: Bool = false, traits: ServerTraits,
    temporaryName: String = TemporaryName.make()
  ) {
    self.path = path
    isReplacing = replacing
    self.traits = traits
    temporary = Target(temporary: temporaryName, beside: path)
    writesDirectly =
      !traits.moves
      || traits.writesAtomically && (replacing ? !isEmpty : isSmall && traits.honoursConditions)
  }

  private var purpose: Diagnosis.Purpose { isReplacing ? .replacing : .creating }

  mutating func start() -> DAVStep {
    guard let parent = path.parent else { return .fail(BackendError(.isADirectory, path: path)) }
    if traits.needsFolders { return write() }
    state = .lookingForFolder
    return .send(.look(parent))
  }

  private mutating func write() -> DAVStep {
    if !isReplacing, !traits.moves, !traits.honoursConditions {
      state = .lookingForEntry
      return .send(.look(path))
    }
    guard writesDirectly else {
      state = .writingTemporary
      return .send(.put(temporary))
    }
    guard traits.keepsFolders || !isReplacing else {
      state = .lookingBeforeWriting
      return .send(.look(path))
    }
    return put()
  }

  private mutating func put() -> DAVStep {
    state = .writing
    return .send(.put(Target(path), ifAbsent: !isReplacing))
  }

  mutating func next(_ reply: DAVReply) -> DAVStep {
    switch state {
    case .lookingForFolder: lookedForFolder(reply)
    case .lookingBeforeWriting: lookedBeforeWriting(reply)
    case .writing: wrote(reply)
    case .writingTemporary: wroteTemporary(reply)
    case .lookingForEntry: lookedForEntry(reply)
    case .moving: moved(reply)
    case .lookingForObstacle: lookedForObstacle(reply)
    case .replacing: replaced(reply)
    case .diagnosing(var diagnosis, let cleaning): diagnose(diagnosis.next(reply), diagnosis, cleaning)
    }
  }

  private mutating func lookedForFolder(_ reply: DAVReply) -> DAVStep {
    switch reply {
    case .found(.folder): return write()
    case .found(.file): return .fail(BackendError(.notADirectory, path: path))
    default: return refuse(reply, isAbsent: true)
    }
  }

  private mutating func lookedBeforeWriting(_ reply: DAVReply) -> DAVStep {
    switch reply {
    case .found(.folder): .fail(BackendError(.isADirectory, path: path))
    case .found: put()
    default: refuse(reply)
    }
  }

  private mutating func wrote(_ reply: DAVReply) -> DAVStep {
    if reply.failure == nil { return .finish }
    if case .status(412, _) = reply, !isReplacing { return .fail(BackendError(.alreadyExists, path: path)) }
    return refuse(reply)
  }

  private mutating func wroteTemporary(_ reply: DAVReply) -> DAVStep {
    guard reply.failure == nil else {
      switch reply {
      // A broken connection may have left a part of it,
      case .failed: return clean(reply)
      // and so may a server that met a failure of its own: wsgidav and rclone keep an empty file where the disk is full.
      case .status(let code, _) where Self.mayHaveBegun(code): return refuse(reply, cleaning: true)
      default: return refuse(reply)
      }
    }
    guard traits.refusesToOverwrite else {
      state = .lookingForEntry
      return .send(.look(path))
    }
    return move()
  }

  /// Whether a server that refuses with this status may have begun to write. One that is busy has not.
  private static func mayHaveBegun(_ status: Int) -> Bool { status >= 500 && status != 503 || status == 405 }

  private mutating func move() -> DAVStep {
    state = .moving
    return .send(.move(temporary, to: Target(path), replacing: false))
  }

  private mutating func lookedForEntry(_ reply: DAVReply) -> DAVStep {
    guard case .found(let kind) = reply else { return clean(reply) }
    guard let kind else {
      guard traits.moves else {
        state = .writing
        return .send(.put(Target(path)))
      }
      return move()
    }
    return obstacle(kind)
  }

  private mutating func moved(_ reply: DAVReply) -> DAVStep {
    if reply.failure == nil { return .finish }
    guard case .status(412, _) = reply else { return refuse(reply, cleaning: true) }
    guard isReplacing else { return .clean(temporary, BackendError(.alreadyExists, path: path)) }
    state = .lookingForObstacle
    return .send(.look(path))
  }

  private mutating func lookedForObstacle(_ reply: DAVReply) -> DAVStep {
    guard case .found(let kind) = reply else { return clean(reply) }
    return obstacle(kind)
  }

  private mutating func obstacle(_ kind: RemoteEntry.Kind?) -> DAVStep {
    guard isReplacing else {
      let error = BackendError(.alreadyExists, path: path)
      return traits.moves ? .clean(temporary, error) : .fail(error)
    }
    guard kind != .folder else { return .clean(temporary, BackendError(.isADirectory, path: path)) }
    state = .replacing
    return .send(.move(temporary, to: Target(path), replacing: true))
  }

  private mutating func replaced(_ reply: DAVReply) -> DAVStep {
    reply.failure == nil ? .finish : refuse(reply, cleaning: true)
  }

  private func clean(_ reply: DAVReply) -> DAVStep {
    let failure = reply.failure ?? .unexpected
    return .clean(temporary, failure.error(at: path))
  }

  /// Finds the reason of a refusal.
  private mutating func refuse(_ reply: DAVReply, cleaning: Bool = false, isAbsent: Bool = false) -> DAVStep {
    if case .found = reply {
      let diagnosis = Diagnosis(path.parent ?? path, .using, Failure(.notFound), isAbsent: true)
      return diagnose(diagnosis.start(), diagnosis, cleaning)
    }
    guard reply.isAmbiguous else {
      return cleaning
        ? clean(reply) : .fail((reply.failure ?? .unexpected).error(at: path))
    }
    let diagnosis = Diagnosis(path, purpose, reply.failure ?? .unexpected, isAbsent: isAbsent)
    return diagnose(diagnosis.start(), diagnosis, cleaning)
  }

  private mutating func diagnose(
    _ step: Diagnosis.Step, _ diagnosis: Diagnosis, _ cleaning: Bool
  ) -> DAVStep {
    switch step {
    case .look(let subject):
      state = .diagnosing(diagnosis, cleaning: cleaning)
      return .send(.look(subject))
    case .appeared where !isRepeated && !cleaning:
      isRepeated = true
      return write()
    case .verdict(let error), .appeared(let error):
      var error = error
      error.path = path
      return cleaning ? .clean(temporary, error) : .fail(error)
    }
  }
}
