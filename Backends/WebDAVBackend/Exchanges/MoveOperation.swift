import SyncProtocol

/// Moves a file or folder, never replacing.
struct MoveOperation: DAVOperation {
  private enum State {
    case lookingForSource
    case lookingForFolder
    case lookingForEntry
    case moving
    case lookingForReason(Failure)
    case diagnosing(Diagnosis)
  }

  private let source: RemotePath
  private let destination: RemotePath
  private let traits: ServerTraits
  private var state = State.lookingForSource
  private var isFolder = false

  init(_ source: RemotePath, to destination: RemotePath, traits: ServerTraits) {
    self.source = source
    self.destination = destination
    self.traits = traits
  }

  mutating func start() -> DAVStep {
    guard source != .root, destination != .root else {
      return .fail(BackendError(.isADirectory, path: .root))
    }
    guard traits.moves else { return .fail(BackendError(.unsupported, path: source)) }
    guard source == destination || !destination.names.starts(with: source.names) else {
      return .fail(BackendError(.unsupported, path: source, detail: "a folder cannot go into itself"))
    }
    // Some servers want a slash behind folders, others none behind files.
    return .send(.look(source))
  }

  mutating func next(_ reply: DAVReply) -> DAVStep {
    switch state {
    case .lookingForSource:
      guard case .found(let kind?) = reply else { return absent(source, reply) }
      guard source != destination else { return .fail(BackendError(.alreadyExists, path: destination)) }
      isFolder = kind == .folder
      state = .lookingForFolder
      return traits.needsFolders ? lookForEntry() : .send(.look(destination.parent ?? .root))
    case .lookingForFolder:
      guard case .found(let kind?) = reply else { return absent(destination, reply) }
      return kind == .folder ? lookForEntry() : .fail(BackendError(.notADirectory, path: destination))
    case .lookingForEntry:
      guard case .found(let kind) = reply else { return fail(reply, destination) }
      return kind == nil ? move() : .fail(BackendError(.alreadyExists, path: destination))
    case .moving:
      guard let failure = reply.failure else { return .finish }
      // The name was free before; whether it is taken now is looked at, for some servers say so of anything.
      if case .status(412, _) = reply { return diagnose(Diagnosis(destination, .creating, failure)) }
      guard reply.isAmbiguous else { return .fail(failure.error(at: source)) }
      state = .lookingForReason(failure)
      return .send(.look(source))
    case .lookingForReason(let failure):
      guard case .found(_?) = reply else { return absent(source, reply) }
      return diagnose(Diagnosis(destination, .creating, failure))
    case .diagnosing(var diagnosis):
      return step(diagnosis.next(reply), diagnosis)
    }
  }

  private mutating func lookForEntry() -> DAVStep {
    guard !traits.refusesToOverwrite else { return move() }
    state = .lookingForEntry
    return .send(.look(destination))
  }

  private mutating func move() -> DAVStep {
    state = .moving
    return .send(
      .move(
        Target(source, isFolder: isFolder), to: Target(destination, isFolder: isFolder), replacing: false))
  }

  private mutating func absent(_ path: RemotePath, _ reply: DAVReply) -> DAVStep {
    guard case .found = reply else { return fail(reply, path) }
    return diagnose(Diagnosis(path, .using, Failure(.notFound), isAbsent: true))
  }

  private func fail(_ reply: DAVReply, _ path: RemotePath) -> DAVStep {
    .fail((reply.failure ?? .unexpected).error(at: path))
  }

  private mutating func diagnose(_ diagnosis: Diagnosis) -> DAVStep { step(diagnosis.start(), diagnosis) }

  private mutating func step(_ step: Diagnosis.Step, _ diagnosis: Diagnosis) -> DAVStep {
    switch step {
    case .look(let subject):
      state = .diagnosing(diagnosis)
      return .send(.look(subject))
    case .verdict(let error), .appeared(let error): return .fail(error)
    }
  }
}
