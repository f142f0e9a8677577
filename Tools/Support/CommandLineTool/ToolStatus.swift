/// What a tool tells the process that started it.
///
/// Every tool of the project uses this one table, so that a script can tell causes apart without reading
/// messages. `Docs/ExitCodes.md` shows it; a test keeps both equal.
public struct ToolStatus: RawRepresentable, Hashable, Sendable {
  /// The number that the process ends with.
  public let rawValue: Int32

  /// Wraps a process's exit code.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The command did what was asked.
  public static let success = ToolStatus(rawValue: 0)
  /// A check ran to its end and found something.
  public static let findings = ToolStatus(rawValue: 1)
  /// The command line was not understood.
  public static let usage = ToolStatus(rawValue: 2)
  /// The remote is missing, is no folder, cannot be reached, or does not show what it confirms.
  public static let remoteUnavailable = ToolStatus(rawValue: 3)
  /// The password is wrong, or one is needed and none was given.
  public static let wrongPassword = ToolStatus(rawValue: 4)
  /// A store, document, object or file that was named does not exist.
  public static let notFound = ToolStatus(rawValue: 5)
  /// Permissions forbid reading or writing.
  public static let forbidden = ToolStatus(rawValue: 6)
  /// The disk or a quota is full, or no more can be made of something.
  public static let full = ToolStatus(rawValue: 7)
  /// Another process is using the store or the remote; trying again later may succeed.
  public static let busy = ToolStatus(rawValue: 8)
  /// A file does not hold what it should.
  public static let damaged = ToolStatus(rawValue: 9)
  /// A conflict was left undecided, so nothing was applied.
  public static let undecided = ToolStatus(rawValue: 10)
  /// What should be made exists already.
  public static let alreadyExists = ToolStatus(rawValue: 11)
  /// A file or remote was written by a version or in a format that this one does not know.
  public static let unsupported = ToolStatus(rawValue: 12)
  /// A synchronisation was done as far as possible, but what another device wrote, or what this one wrote, could not be read in
  /// several of them.
  public static let blocked = ToolStatus(rawValue: 13)
  /// A store holds something that cannot be taken along or shown.
  public static let incomplete = ToolStatus(rawValue: 14)
  /// A check ran to its end and found nothing worse than what may still arrive or be put back.
  public static let warnings = ToolStatus(rawValue: 15)
  /// A check could not look at everything.
  public static let unchecked = ToolStatus(rawValue: 16)
  /// The tool met a condition that it has no words for.
  public static let unexpected = ToolStatus(rawValue: 70)
  /// Cancelled with Control-C (`SIGINT`).
  public static let interrupted = ToolStatus(rawValue: 130)
  /// Cancelled by `SIGTERM`.
  public static let terminated = ToolStatus(rawValue: 143)

  /// Every status that a tool may end with, and what it means, in the order of the numbers.
  public static let table: [(status: ToolStatus, meaning: String)] = [
    (.success, "The command did what was asked."),
    (.findings, "A check ran to its end and found something; the findings are on standard output."),
    (.usage, "The command line was not understood."),
    (
      .remoteUnavailable,
      "The remote is missing, is no folder, cannot be reached, or does not show what it confirms."
    ),
    (.wrongPassword, "The password is wrong, or one is needed and none was given."),
    (.notFound, "A store, document, object or file that was named does not exist."),
    (.forbidden, "Permissions forbid reading or writing."),
    (
      .full,
      "The disk or a quota is full, or no more can be made of something: the keys of a remote can be replaced 255 times."
    ),
    (.busy, "Another process is using the store or the remote; trying again later may succeed."),
    (.damaged, "A file does not hold what it should."),
    (.undecided, "A conflict was left undecided, so nothing was applied."),
    (.alreadyExists, "What should be made exists already."),
    (.unsupported, "A file or remote was written by a version or in a format that this one does not know."),
    (
      .blocked,
      "The synchronisation was done as far as possible, but for some time one device could not read "
        + "what another wrote, a long text did not come, a key is missing, more devices have created the document "
        + "apart than can become one, or it lacks sets that were removed from the remote; the output names it. Or this device was removed from the document, or cannot tell "
        + "which of too many foundings the devices use."
    ),
    (
      .incomplete,
      "A store or remote holds, or lacks, something that cannot be copied, migrated or shown, or has a folder of which storage does not say what lies in it; standard error lists it."
    ),
    (
      .warnings,
      "A check ran to its end and found nothing but warnings: what is late or missing and may still arrive, or be put back by devices."
    ),
    (
      .unchecked,
      "A check could not look at everything, because storage did not deliver it; what it did look at is not damaged."
    ),
    (.unexpected, "The tool met a condition that it has no words for."),
    (.interrupted, "Cancelled with Control-C (SIGINT)."),
    (.terminated, "Cancelled by SIGTERM."),
  ]
}
