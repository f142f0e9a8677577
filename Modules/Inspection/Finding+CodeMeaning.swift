extension Finding.Code {
  /// The class of findings that it belongs to.
  public var kind: Finding.Kind { entry.kind }
  /// How much it matters.
  public var severity: Finding.Severity { entry.severity }
  /// What it means, in a sentence.
  public var meaning: String { entry.meaning }
  /// What can be done about it.
  public var remedy: String { entry.remedy }

  /// Whether it says that storage did not deliver, and not that what it delivered is wrong.
  public var isUnchecked: Bool { self == .unreadable || self == .folderUnreadable }

  private typealias Entry = (
    kind: Finding.Kind, severity: Finding.Severity, meaning: String, remedy: String
  )

  private var entry: Entry {
    switch self {
    case .foreignEntry:
      (
        .foreignEntry, .hint, "An entry that is not ours; syncs ignore it.",
        "Look at it, and remove it if nobody needs it."
      )
    case .conflictCopy:
      (
        .foreignEntry, .hint,
        "A file or folder of ours under another name or in another place, as copies in conflict and unfinished transfers are; syncs ignore it.",
        "Compare it with what it is a copy of; `repair` puts its content back where that is missing."
      )
    case .notDownloaded:
      (
        .unreadable, .warning,
        "A placeholder stands for a file that iCloud keeps and has not downloaded to this device.",
        "Let the system download it, or name the remote as `ubiquity:PATH`; do not remove it, which removes the file from the cloud."
      )
    case .serverTestLeft:
      (
        .foreignEntry, .hint, "What a test of a server left behind when it was cut off.",
        "Remove it, unless a device is joining right now."
      )
    case .folderReplaced:
      (
        .incompleteHierarchy, .error, "Something else lies in place of a folder that devices need.",
        "Move it away, and sync a device that has joined."
      )
    case .fileReplaced:
      (
        .incompleteHierarchy, .warning, "Something else lies in place of a file of ours: a folder or a link.",
        "Move it away, and restore the file from a copy; devices send again what they have."
      )
    case .folderUnreadable:
      (
        .unreadable, .error, "A folder could not be listed, so nothing below it was looked at.",
        "See that the storage delivers it, and verify again."
      )
    case .partMissing:
      (
        .incompleteHierarchy, .warning, "A file or folder of the hierarchy is missing.",
        "`ticds-inspect repair --apply` makes folders and `ReadMe.txt` again: devices make a folder only to put something into it. Founding records a device puts back that has joined, once it synchronises."
      )
    case .nameInOtherCase:
      (
        .incompleteHierarchy, .error,
        "A file or folder has a name that differs from the one that devices look for in the case of its letters only.",
        "Rename it as it is said; do not refill, which makes a second folder. A duplicate of an application's folder that holds nothing of ours: remove it."
      )
    case .folderMoved:
      (
        .incompleteHierarchy, .error,
        "A folder holds files of ours that lie nowhere else, or tells of more than what lies in its place, and no device looks for them there: it was moved or renamed.",
        "Move it back, or give it the name that is said; do not remove it, for it may hold all that is left of them."
      )
    case .noDocument:
      (
        .incompleteHierarchy, .warning,
        "Devices are registered, and there is no document: none was made yet, or all were lost.",
        "If there was one, `repair --from` puts it back from a copy, or a device that holds it fills the remote again."
      )
    case .onlyDeletions:
      (
        .incompleteHierarchy, .hint,
        "Devices are registered, and of documents nothing is there but notes that some were deleted.",
        "Nothing, if all were deleted. If there was another, `repair --from` puts it back from a copy, or a device that holds it fills the remote again."
      )
    case .foundingMissing:
      (
        .incompleteHierarchy, .warning,
        "There is no founding record that somebody with a key at hand has written, so nobody can join.",
        "Sync a device that has joined; within a day it puts the record back."
      )
    case .keyFileMissing:
      (
        .incompleteHierarchy, .warning,
        "A key is in use whose key file is not there, so nobody can join with its password.",
        "Sync a device that has joined; within a day it puts the file back."
      )
    case .wrappedKeyMissing:
      (
        .incompleteHierarchy, .warning,
        "A key is not wrapped under another, so devices that have only the latter do not get it.",
        "Sync a device that has both, or join one with the password."
      )
    case .deviceUndescribed:
      (
        .incompleteHierarchy, .hint,
        "A device is not described. Nothing depends on it.",
        "Nothing needs to be done; remove its folder if nobody uses it."
      )
    case .deletedDocumentLeft:
      (
        .incompleteHierarchy, .warning,
        "A document was deleted, and something of it is there still or came back.",
        "Delete it once more from a device that took part."
      )
    case .foundingsApart:
      (
        .rivalCreation, .warning,
        "Devices of one founding have not accepted another, so they do not read each other.",
        "Sync a device of each; if one asks for a password, give it."
      )
    case .rivalFoundings:
      (
        .rivalCreation, .hint,
        "Several devices were first at once, and their foundings become one; or a record came here from another remote.",
        "Sync these devices; move a record that comes from another remote away."
      )
    case .forgedName:
      (
        .forgedName, .warning,
        "A head, request, mention, supersession or whole store has a name that nobody with the keys at hand has written.",
        "Remove it, unless devices with another password created the document at the same time."
      )
    case .acceptanceForged:
      (
        .forgedName, .warning, "An acceptance has a name that nobody with the keys at hand has written.",
        "Remove it, unless devices with another password created the document at the same time."
      )
    case .keyNotAtHand:
      (
        .unreadable, .warning,
        "Files are sealed with a key that is not at hand: its file is late or lost, another password opens it, or the files come from another remote.",
        "Leave them; wait until the storage has delivered all files, give the other password, or put `Encryption` back from a copy."
      )
    case .wrappedKeyForeign:
      (
        .forgedName, .warning, "A key is said to be wrapped under one that is not at hand.",
        "Remove it, unless devices with another password use the remote."
      )
    case .deletionForged:
      (
        .forgedName, .warning, "A note of a deletion that nobody with the keys at hand has written.",
        "Remove it; devices ignore it."
      )
    case .withdrawalForged:
      (
        .forgedName, .warning, "A note that a password was withdrawn, which nobody with the key has written.",
        "Remove it; devices ignore it."
      )
    case .otherPassword:
      (
        .notAuthentic, .warning,
        "The password opens none of the key files of an application; its files were not opened.",
        "Verify that application with its own password, or remove it if no device uses it."
      )
    case .passwordUnneeded:
      (
        .notSealed, .error, "A password was given, and nothing is encrypted.",
        "Find out whether somebody has replaced the remote, or this is another; if it never was encrypted, verify without a password."
      )
    case .encryptionStripped:
      (
        .notSealed, .error,
        "By its founding record an application is not encrypted, and files of it are: its keys and records were taken away or replaced.",
        "Let no device join; put `Encryption`, `Founding` and `IntegrityKey` back from a copy, remove nothing, and find out who can write there."
      )
    case .damagedFile:
      (
        .damagedFile, .error, "The bytes of a file are not those that its name or its writer says.",
        "Restore it from a copy; `repair` puts it aside, and devices send again what they have."
      )
    case .notAuthentic:
      (
        .notAuthentic, .error, "A file was sealed with another key, for another place, or changed since.",
        "Find out who can write there; restore it from a copy."
      )
    case .notSealed:
      (
        .notSealed, .error, "A file is not encrypted although the remote is.",
        "Find out who has put it there; restore what belongs there from a copy."
      )
    case .undecodable:
      (
        .undecodable, .error, "The content of a file contradicts its format.",
        "Restore it from a copy; `repair` puts it aside."
      )
    case .misplaced:
      (
        .misplaced, .error, "The content of a file belongs to another name.",
        "Compare it with a copy of the remote."
      )
    case .tooLarge:
      (
        .unreadable, .error, "A file is larger than a file of its kind can be; it was not read.",
        "Restore it from a copy."
      )
    case .unreadable:
      (
        .unreadable, .error, "The storage did not deliver a file, so that it could not be checked.",
        "See that the storage delivers it, and verify again."
      )
    case .keysWithoutEncryption:
      (
        .misplaced, .error,
        "A key, or a record that names one, lies there although nothing is encrypted, so nobody joins without a password.",
        "Move it away, unless a device has just begun to encrypt."
      )
    case .keyFilesUnnamed:
      (
        .misplaced, .hint,
        "Key files are there whose keys no founding record names; the passwords of newcomers are tried on them.",
        "Sync every device; remove them if they are named a day later and nobody uses another password."
      )
    case .unknownFormat:
      (
        .unknownFormat, .warning, "A document is in a format that this version does not verify.",
        "Use the version of the tools that belongs to the application."
      )
    case .readMeChanged:
      (
        .damagedFile, .warning, "The text for people is not what devices write there.",
        "Do not follow what it says, and remove it."
      )
    case .acceptanceContent:
      (
        .damagedFile, .hint, "An acceptance holds something else than its name, which is all that counts.",
        "Nothing; a device that has joined writes it anew within a day."
      )
    case .requestNotEmpty:
      (
        .damagedFile, .warning, "A request holds something although its name says all. No device reads it.",
        "Remove it; who still waits asks again."
      )
    case .requestMet:
      (
        .foreignEntry, .hint, "A repair has asked for something that is not missing any more.",
        "Nothing; `repair` removes it."
      )
    case .wholeStoreDamaged:
      (
        .damagedFile, .error, "No device can begin with a whole store that lies there.",
        "Upload another, then remove it."
      )
    case .historyLost:
      (
        .missingSet, .error,
        "Sets were removed because whole stores contain them, and neither a whole store that opens nor a device that takes part holds them any more, so nobody can join.",
        "Upload a whole store from a device that has the document, or let `repair --from` put one back from a copy."
      )
    case .historyAwaited:
      (
        .missingSet, .warning,
        "Sets were removed because whole stores contain them, and no whole store that opens and holds them has come yet; a device has them, or its head has not come either. Nobody can join until then.",
        "Give the storage time, then upload a whole store from a device that has the document, or let `repair --from` put one back from a copy."
      )
    case .gapUnjudged:
      (
        .unreadable, .hint,
        "Sets are not there. Whether they are missing or were removed because whole stores contain them could not be judged without the password.",
        "Verify with the password."
      )
    case .floorMissing:
      (
        .gap, .warning,
        "First sets are not there that whole stores contain, and no floor says that they were removed: it is lost, or they are.",
        "Nobody who joins needs them. Vacuum on a device, twice with a day between: it says again what need not be there."
      )
    case .gap:
      (
        .gap, .error, "A set is missing between others of its author.",
        "Give the storage time, then restore it from a copy; devices that have it send it when asked."
      )
    case .missingSet:
      (
        .missingSet, .error, "A head names a set that is not there.",
        "Give the storage time, then restore it from a copy; devices that have it send it when asked."
      )
    case .brokenChain:
      (
        .brokenChain, .error,
        "A set does not continue the one before it: that one was replaced or lost, and no device that takes part can send it.",
        "Compare both with a copy of the remote; `repair --from` puts back what the copy has."
      )
    case .branchAwaited:
      (
        .rivalSets, .warning,
        "A set continues another one than lies here: two copies of one store were used, and not all has come that they wrote.",
        "Give the storage time, and sync the devices that are named: devices ask for it, send it or say it again, and merge both."
      )
    case .rivalSets:
      (
        .rivalSets, .warning, "An author has two sets under one number: two copies of one store were used.",
        "Sync both; each takes a name of its own, and nothing is lost. Once one has, this is said no more."
      )
    case .missingValue:
      (
        .missingValue, .error, "A set mentions a long value that is not there.",
        "Give the storage time, then restore it from a copy; devices that have it send it when asked. If no device waits for it, it was overwritten since, and the set goes once devices have uploaded whole stores and vacuumed."
      )
    case .unusedValue:
      (
        .unusedValue, .hint, "No set mentions a long value.",
        "Nothing; a device that vacuums removes it a day later."
      )
    case .missingHead:
      (
        .missingHead, .warning, "No head names the sets of an author, so nobody applies them but who joins.",
        "Sync the device that made them; if it is gone, a repair names them. Sets of another document a repair moves there; while some of them do not open as such, nothing is repaired in this document."
      )
    case .authorsUntold:
      (
        .missingHead, .warning,
        "A whole store contains sets of authors of whom no head and no set is there.",
        "Sync each device that has joined."
      )
    case .headMentioned:
      (
        .missingHead, .hint,
        "An author has no head, and another device names his last set, so that all apply it.",
        "Nothing; the author publishes a head with his next sync, unless his device goes on as another one by now."
      )
    case .headContradicts:
      (
        .misplaced, .error, "The content of a head contradicts its name.",
        "Sync the device that wrote it; its next head replaces it."
      )
    case .unpublishedSets:
      (
        .unpublishedSet, .hint,
        "Sets are there that no head names yet: a sync was interrupted, or runs now, or older heads were put back.",
        "Sync the device; it continues where it stopped. If it is gone, a repair names them."
      )
    }
  }
}
