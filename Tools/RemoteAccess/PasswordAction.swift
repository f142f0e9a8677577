import CommandLineTool
import Crypto
import SyncProtocol

/// What is done about the passwords that open a remote, by a device or by whoever knows one of them.
public enum PasswordAction: String, CaseIterable, Sendable {
  /// Shows which there are.
  case list
  /// Puts one in the place of another.
  case change
  /// Adds one.
  case add
  /// Removes one.
  case remove
  /// Adds a code to be kept on paper.
  case recovery
  /// Replaces the keys.
  case rotate

  private static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// The word that tells which.
  public static let parameter = Parameter.positional("ACTION", "One of \(names).")
  /// Names a password that nobody knows any more.
  public static let slot = Parameter.optional(
    "slot", placeholder: "ID",
    "The beginning of what “list” shows, to remove a password that nobody remembers.")

  /// Reads the word.
  public init(_ arguments: Arguments) throws(ToolFailure) {
    let word = try arguments[Self.parameter]
    guard let action = Self(rawValue: word) else {
      throw .usage("password does not do “\(word)”", advice: "it does one of \(Self.names)")
    }
    self = action
  }

  private var takesFormer: Bool { [.change, .remove].contains(self) }
  private var takesNew: Bool { [.change, .add, .rotate].contains(self) }

  /// Refuses what the command line gives for nothing: who names a password expects that something is done with it.
  ///
  /// - Parameters:
  ///   - former: where the password comes from that is changed or removed.
  ///   - new: where the one comes from that takes its place.
  public func requireUseful(
    _ arguments: Arguments, former: PasswordSource, new: PasswordSource
  ) throws(ToolFailure) {
    let unused =
      (takesFormer ? [] : former.parameters) + (takesNew ? [] : new.parameters)
      + (self == .remove ? [] : [Self.slot])
    guard let first = unused.first(where: { arguments.contains($0) }) else { return }
    throw .usage(
      "“password \(rawValue)” has no use for --\(first.specification.name)", advice: "leave it out")
  }
}

/// Lists and changes the passwords of one application on a remote, and says so.
public struct PasswordChanges {
  private let application: ApplicationSyncManager
  private let program: String

  /// - Parameters:
  ///   - application: has the keys.
  ///   - program: the tool that a person uses, as messages name it.
  public init(_ application: ApplicationSyncManager, program: String) {
    self.application = application
    self.program = program
  }

  /// Does what was asked for.
  ///
  /// - Parameters:
  ///   - former: the password, or recovery code, that is changed or removed.
  ///   - new: the password that comes.
  /// - Returns: the keys, if they were replaced.
  /// - Throws: `SyncError`, or ``ToolFailure``.
  public func perform(
    _ action: PasswordAction, slot beginning: String?, isJSON: Bool, _ console: Console,
    former: () throws -> String, new: () throws -> String
  ) async throws -> KeyRing? {
    var (keys, code): (KeyRing?, String?) = (nil, nil)
    switch action {
    case .list:
      let slots = try await application.passwords()
      if isJSON {
        console.print(JSONValue.array(slots.map(Self.json)).text)
      } else {
        for slot in slots {
          console.print("\(slot.identifier.prefix(8))\t\(slot.isRecoveryCode ? "recovery code" : "password")")
        }
      }
      return nil
    case .change: try await application.changePassword(from: try former(), to: try new())
    case .add:
      if try await !application.addPassword(try new()) {
        console.complain("\(program): the password opens the remote already; nothing was added.")
      }
    case .remove:
      if let beginning {
        try await application.removePassword(try find(beginning, try await application.passwords()))
      } else {
        try await application.removePassword(try former())
      }
      console.complain(
        "\(program): who knows the password and has kept a copy of the key file can still open the keys of today; “\(program) password rotate” seals what comes with others."
      )
    case .recovery:
      code = try await application.addRecoveryCode().text
      if let code, !isJSON { console.print(code) }
      console.complain(
        "\(program): write the code down; it opens the remote as a password does, and is kept nowhere.")
    case .rotate: keys = try await application.replaceKeys(password: try new())
    }
    if isJSON {
      console.print(
        JSONValue.object([
          .init("version", 1), .init("action", .string(action.rawValue)),
          .init("recoveryCode", code.map { .string($0) } ?? .null),
        ]).text)
    }
    return keys
  }

  private func find(_ beginning: String, _ slots: [PasswordSlot]) throws(ToolFailure) -> PasswordSlot {
    let found = slots.filter { !beginning.isEmpty && $0.identifier.hasPrefix(beginning) }
    guard let first = found.first, found.count == 1 else {
      throw ToolFailure(
        .notFound,
        found.isEmpty ? "no password has the slot “\(beginning)”" : "several slots begin with “\(beginning)”",
        advice: "“\(program) password list” shows them")
    }
    return first
  }

  private static func json(_ slot: PasswordSlot) -> JSONValue {
    [
      "version": 1, "slot": .string(slot.identifier),
      "kind": .string(slot.isRecoveryCode ? "recoveryCode" : "password"),
    ]
  }
}
