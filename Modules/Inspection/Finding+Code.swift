extension Finding {
  /// What exactly was found: a stable word for scripts, each described in `Docs/Tools/ticds-inspect.md`.
  ///
  /// A code says how much the finding matters and, coarser, of which ``Kind`` it is.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// An entry that is not ours; syncs ignore it.
    case foreignEntry
    /// A file or folder of ours under another name or in another place, as copies in conflict and unfinished transfers are; syncs ignore it.
    case conflictCopy
    /// A file that iCloud has not downloaded to this device.
    case notDownloaded
    /// What a test of a server left behind when it was cut off.
    case serverTestLeft
    /// Something else lies in place of a folder that devices need.
    case folderReplaced
    /// Something else lies in place of a file of ours: a folder or a link.
    case fileReplaced
    /// A folder could not be listed, so nothing below it was looked at.
    case folderUnreadable
    /// A file or folder of the hierarchy is missing.
    case partMissing
    /// A file or folder has a name that differs in case only from the one that devices look for.
    case nameInOtherCase
    /// A folder holds files of ours, and no device looks for them there.
    case folderMoved
    /// Devices are registered, and there is no document.
    case noDocument
    /// Devices are registered, and of documents nothing is there but notes that some were deleted.
    case onlyDeletions
    /// There is no founding record that somebody with a key at hand has written, so nobody can join.
    case foundingMissing
    /// A key is in use whose key file is not there, so nobody can join with its password.
    case keyFileMissing
    /// A key is not wrapped under another, so devices that have only the latter do not get it.
    case wrappedKeyMissing
    /// A device is not described. Nothing depends on it.
    case deviceUndescribed
    /// A document was deleted, and something of it is there still or came back.
    case deletedDocumentLeft
    /// Devices of one founding have not accepted another, so they do not read each other.
    case foundingsApart
    /// Several devices were first at once; their foundings become one.
    case rivalFoundings
    /// A head, request, mention, supersession or whole store has a name that nobody with the keys at hand has written.
    case forgedName
    /// An acceptance has a name that nobody with the keys at hand has written.
    case acceptanceForged
    /// Files are sealed with a key that is not at hand: late, lost, or that of another password. They are not damaged.
    case keyNotAtHand
    /// A key is said to be wrapped under one that is not at hand.
    case wrappedKeyForeign
    /// A note of a deletion that nobody with the keys at hand has written.
    case deletionForged
    case withdrawalForged
    /// The password opens none of the key files of an application; its files were not opened.
    case otherPassword
    /// A password was given, and nothing is encrypted.
    case passwordUnneeded
    /// An application is not encrypted by its founding record, and files of it are.
    case encryptionStripped
    /// The bytes of a file are not those that its name or its writer says.
    case damagedFile
    /// A file was sealed with another key, for another place, or changed since.
    case notAuthentic
    /// A file is not encrypted although the remote is.
    case notSealed
    /// The content of a file contradicts its format.
    case undecodable
    /// The content of a file belongs to another name.
    case misplaced
    /// A file is larger than a file of its kind can be; it was not read.
    case tooLarge
    /// The storage did not deliver a file, so that it could not be checked.
    case unreadable
    /// Something lies where keys belong although nothing is encrypted, so nobody joins without a password.
    case keysWithoutEncryption
    /// Key files are there whose keys no founding record names; the passwords of newcomers are tried on them.
    case keyFilesUnnamed
    /// A document is in a format that this version does not verify.
    case unknownFormat
    /// The text for people is not what devices write there.
    case readMeChanged
    /// An acceptance holds something else than its name, which is all that counts.
    case acceptanceContent
    /// A request holds something although its name says all. No device reads it.
    case requestNotEmpty
    /// A repair has asked for something that is not missing any more.
    case requestMet
    /// No device can begin with a whole store that lies there.
    case wholeStoreDamaged
    /// Sets were removed because whole stores contain them, and no whole store holds them any more.
    case historyLost
    /// The same, while a device that takes part has them or their remover has not arrived: a whole store may still come.
    case historyAwaited
    /// A set is missing between others of its author.
    case gap
    /// Sets are not there, and without the password nobody can tell whether a vacuum has removed them.
    case gapUnjudged
    /// First sets are not there that whole stores contain, and no floor says that they were removed.
    case floorMissing
    /// A head names a set that is not there.
    case missingSet
    /// A set does not continue the one before it, and no device can send the one that it continues.
    case brokenChain
    /// A set continues another one than lies here: of two copies of a store, not all has come that they wrote.
    case branchAwaited
    /// An author has two sets under one number: two copies of one store were used.
    case rivalSets
    /// A set mentions a long value that is not there.
    case missingValue
    /// No set mentions a long value.
    case unusedValue
    /// No head names the sets of an author, so nobody applies them but who joins.
    case missingHead
    /// A whole store contains sets of authors of whom no head and no set is there.
    case authorsUntold
    /// An author has no head, and another device names his last set, so that all apply it.
    case headMentioned
    /// The content of a head contradicts its name.
    case headContradicts
    /// Sets are there that no head names yet: a sync was interrupted, or runs now, or older heads were put back.
    case unpublishedSets
  }
}
