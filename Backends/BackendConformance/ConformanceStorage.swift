import SyncProtocol

/// The storage that one law is checked on: its root is empty, and nobody else uses it.
public struct ConformanceStorage: Sendable {
  let connect: @Sendable () async throws -> any SyncBackend
  let reopen: @Sendable () async throws -> Void
  let absentRoot: (@Sendable () async throws -> any SyncBackend)?
  let takeRootAway: (@Sendable () async throws -> Void)?
  let bringRootBack: (@Sendable () async throws -> Void)?
  let addForeign: (@Sendable (_ name: String, _ folder: RemotePath) async throws -> Void)?
  let connectToClassic: (@Sendable () async throws -> any SyncBackend)?
  let keepsContentInMemory: Bool
  let lag: Duration

  /// Describes storage to the suite. What is left out leaves out the laws that need it; ``BackendConformance/Outcome`` says
  /// so.
  ///
  /// - Parameters:
  ///   - connect: makes another client of the storage, as an application on another device would: it shares nothing with
  ///     those made before except the storage.
  ///   - reopen: lets go of everything that is only in memory, as a restart of the service would. The clients made before
  ///     are not used afterwards.
  ///   - absentRoot: makes a client whose root does not exist: a folder that was never made, a wrong address.
  ///   - takeRootAway: takes the root away from the clients that there are, as a drive that is pulled out does.
  ///   - bringRootBack: brings back the root that was taken away, with all that was in it.
  ///   - addForeign: puts a file into a folder as another program would, under any name, with control characters, too; throws
  ///     where that cannot be. It holds its name, in UTF-8.
  ///   - connectToClassic: makes a client of the storage that takes names of `NameGrammar.classic` for ours.
  ///   - keepsContentInMemory: whether the content of files is kept in the memory of this process, so that it makes no sense
  ///     to measure it.
  ///   - lag: how long it may take until one client sees what another has done.
  public init(
    connect: @escaping @Sendable () async throws -> any SyncBackend,
    reopen: @escaping @Sendable () async throws -> Void = {},
    absentRoot: (@Sendable () async throws -> any SyncBackend)? = nil,
    takeRootAway: (@Sendable () async throws -> Void)? = nil,
    bringRootBack: (@Sendable () async throws -> Void)? = nil,
    addForeign: (@Sendable (_ name: String, _ folder: RemotePath) async throws -> Void)? = nil,
    connectToClassic: (@Sendable () async throws -> any SyncBackend)? = nil,
    keepsContentInMemory: Bool = false, lag: Duration = .zero
  ) {
    self.connect = connect
    self.reopen = reopen
    self.absentRoot = absentRoot
    self.takeRootAway = takeRootAway
    self.bringRootBack = bringRootBack
    self.addForeign = addForeign
    self.connectToClassic = connectToClassic
    self.keepsContentInMemory = keepsContentInMemory
    self.lag = lag
  }
}
