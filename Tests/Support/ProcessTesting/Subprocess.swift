import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that a test started, with its output in files, so that no pipe can fill up and block it.
public final class Subprocess: Sendable {
  /// How a program ended.
  public enum Ending: Equatable, Sendable {
    /// It returned this code.
    case exited(Int32)
    /// This signal ended it.
    case killed(Int32)
  }

  /// What a program left.
  public struct Result: Sendable {
    /// How it ended.
    public let ending: Ending
    /// What it wrote to standard output.
    public let output: String
    /// What it wrote to standard error.
    public let errors: String
  }

  /// A program that could not be started.
  public struct CannotStart: Error {
    /// The program.
    public let program: String
    /// The operating system's error number.
    public let code: Int32
  }

  /// A program that did not end, and was killed.
  public struct Endless: Error, CustomStringConvertible {
    /// The program and its arguments.
    public let words: [String]
    /// What it wrote to standard error.
    public let errors: String

    /// Which program it was, and what it said.
    public var description: String {
      "\(words.joined(separator: " ")) did not end in time, and said: \(errors)"
    }
  }

  /// After this time a program is taken for one that never ends. Beside all other tests on a busy machine programs take minutes.
  public static let patience = Duration.seconds(1_200)

  private let words: [String]
  private let identifier: pid_t
  private let announcements: FileHandle?
  private let outputs: (output: URL, errors: URL, folder: URL)
  private let isReaped = Mutex(false)

  /// Starts a program. A name without a slash is looked up in the `PATH`.
  ///
  /// - Parameters:
  ///   - words: the program and its arguments.
  ///   - directory: where it runs.
  ///   - environment: what its environment has besides the test's own.
  ///   - input: what it reads from standard input.
  ///   - isAnnouncing: whether it says on standard output when it is ready (``announcement()``); then that is no part of
  ///     ``Result/output``.
  public init(
    _ words: [String], in directory: URL? = nil, environment: [String: String] = [:], input: String = "",
    isAnnouncing: Bool = false
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "subprocess-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.words = words
    outputs = (folder.appending(path: "out"), folder.appending(path: "err"), folder)
    let inputFile = folder.appending(path: "in")
    try Data(input.utf8).write(to: inputFile)
    announcements = isAnnouncing ? try Self.makePipe(outputs.output) : nil

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let writing = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, inputFile.path, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputs.output.path, writing, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, outputs.errors.path, writing, 0o600)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // Threads that only serve queues block all signals, and programs inherit that.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

    let changingFolder = directory.map { ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, $0.path] } ?? []
    let words = changingFolder + words
    let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var started = pid_t()
    let code = posix_spawnp(&started, words[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw CannotStart(program: words[0], code: code) }
    identifier = started
    // The program has opened its end, so reading waits from here on.
    if let announcements { _ = fcntl(announcements.fileDescriptor, F_SETFL, 0) }
  }

  /// Makes a named pipe that can be written to from now on. Only its reading end is open here, so no other program inherits
  /// what would keep it from coming to its end.
  private static func makePipe(_ file: URL) throws -> FileHandle {
    guard mkfifo(file.path, 0o600) == 0 else { throw CannotStart(program: file.path, code: errno) }
    let descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CannotStart(program: file.path, code: errno) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Sends a signal, unless the program has ended already.
  public func send(_ signal: Int32) {
    isReaped.withLock { isReaped in
      if !isReaped { kill(identifier, signal) }
    }
  }

  /// Reaps a program that runs until it is told to end, however long that takes. In place of ``result(within:)``, of which one is killed
  /// that runs for long, and what it has started goes on.
  public func reapOnceEnded() {
    Task { try await result(within: .seconds(1_000_000)) }
  }

  /// Waits until the program has ended and returns what it left. Call it once.
  ///
  /// - Throws: ``Endless`` if it does not end in time.
  public func result(within patience: Duration = Subprocess.patience) async throws -> Result {
    let isEndless = Mutex(false)
    let watch = Task {
      try await Task.sleep(for: patience)
      isEndless.withLock { $0 = true }
      send(SIGKILL)
    }
    let status = await onThreadOfItsOwn { self.wait() }
    watch.cancel()
    defer { try? FileManager.default.removeItem(at: outputs.folder) }
    if isEndless.withLock({ $0 }) { throw Endless(words: words, errors: try Self.text(outputs.errors)) }
    let signal = status & 0x7f
    return Result(
      ending: signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal),
      output: announcements == nil ? try Self.text(outputs.output) : "",
      errors: try Self.text(outputs.errors))
  }

  private static func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  /// Waits for the first line that the program writes to standard output. Call it once.
  ///
  /// - Returns: `nil` if the program ended before.
  public func announcement() async -> String? {
    guard let announcements else { return nil }
    return await onThreadOfItsOwn {
      var line: [UInt8] = []
      while let byte = try? announcements.read(upToCount: 1)?.first {
        guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
      return nil
    }
  }

  /// Starts a program and waits for it.
  public static func run(
    _ words: [String], in directory: URL? = nil, environment: [String: String] = [:], input: String = ""
  ) async throws -> Result {
    try await Subprocess(words, in: directory, environment: environment, input: input).result()
  }

  /// Whether a program runs and returns 0. Holds up the thread, so it is for conditions of tests alone, which cannot wait otherwise.
  static func succeeds(_ words: [String]) -> Bool {
    guard let program = try? Subprocess(words) else { return false }
    defer { try? FileManager.default.removeItem(at: program.outputs.folder) }
    return program.wait() == 0
  }

  private func wait() -> Int32 {
    var info = siginfo_t()
    // Waits without reaping, so that `send` never signals a number that the system has given to another program.
    while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    return isReaped.withLock { isReaped in
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
      isReaped = true
      return status
    }
  }
}

/// Does what holds up its thread without holding up others.
///
/// Tasks share as many threads as there are processors, and queues of Dispatch share them with tasks: what waits there for a
/// program may be what the program's test waits for.
public func onThreadOfItsOwn<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}
