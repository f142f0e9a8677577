import ChangeTracking
import Crypto
import ShownText

/// Something on the remote that a person should know of, although the synchronisation went on.
public enum SyncFinding: Hashable, Sendable, CustomStringConvertible {
  /// Why a set cannot be applied yet.
  public enum Obstacle: Hashable, Sendable {
    /// The storage has not delivered it.
    case missing
    /// Its bytes are not those that its name tells: delivered in part, or changed.
    case torn
    /// It is sealed with a key that is not at hand, and is looked for.
    case unknownKey(KeyIdentifier)
    /// It is complete, but cannot be read; the text says why.
    case unreadable(String)
  }

  /// A head names a set that cannot be applied. What came before it is applied, and the next sync tries again.
  case waiting(author: AuthorID, sequence: UInt64, obstacle: Obstacle)
  /// A merged set mentions a long value that cannot be had. All else of the set is applied; the property shows what it showed
  /// before, and the next sync tries again.
  case valueWaiting(LongValue, obstacle: Obstacle)
  /// The remote shows less of an author than this device has applied: it was rolled back, or withholds files.
  case regressed(author: AuthorID, applied: UInt64, listed: UInt64?)
  /// The remote shows less of this device than it has sent: it was rolled back, or withholds files.
  case ownRegressed(sent: UInt64, listed: UInt64?)
  /// Two copies of one store went on under one author; the sets of both are merged.
  case forked(author: AuthorID, sequence: UInt64)
  /// This store was restored or copied, and goes on as a new author.
  case newIncarnation(former: AuthorID)
  /// Names in the form of a head that nobody known here has written, with one of them. They are ignored: forged, or of devices that
  /// created the document with another key.
  case unverifiedHeads(count: Int, first: String)
  /// Names among the heads of a document that was deleted and had the same name, with one of them: they are there still, or storage has put
  /// them back. They are ignored.
  case headsOfDeleted(count: Int, first: String)
  /// No password opens the remote any more: devices that did not see each other have removed them all. Told once a day, until somebody
  /// adds one.
  case passwordMissing
  /// The keys were replaced, and the file of the new key has not arrived. Told once a day.
  case replacementLate
  /// The keys were replaced, and the storage does not let this device read the file of the new key. Told once a day.
  case replacementRefused(file: RemotePath)
  /// The storage does not let this device read files that newcomers need, so it cannot tell whether they are whole. Told once a day.
  case keptBack(paths: [String])
  /// Keys of so many older generations are not at hand, so what was sealed with them cannot be read: they are late, or lost.
  case olderKeysMissing(Int)
  /// Devices write with a key that is not at hand, which cannot be read here: they created the remote at the same time, or the keys were
  /// replaced. Somebody gives their password, once more if it is the same as this device's: ``EncryptionChoice/keysAndPassword(_:_:)``.
  case keyMissing(MissingKey)
  /// Other devices created the document with encryption, and this one goes without: neither reads what the other writes.
  case foundedEncrypted(KeyIdentifier)
  /// Other devices created the document at the same time. What they write is read here once one of them has synchronised again.
  case foundingUnconfirmed(IntegrityKey, isEncrypted: Bool)
  /// So many devices created the document apart that this one does not read all of them.
  case tooManyFoundings(Int)
  /// The record of the document's founding was lost, and this device has put it back.
  case foundingRestored
  /// Sets of an author lie there whose head is missing. Those that can be read are merged; of others this is told for 30 days.
  case headMissing(author: AuthorID)
  /// A set did not arrive in 30 days. It is not waited for any more, and still asked for. `first` is the first set that is missing with it,
  /// if there are others.
  case givenUp(author: AuthorID, sequence: UInt64, first: UInt64? = nil)
  /// Files among ours that are none of ours; they are left alone.
  case foreign(names: [String])
  /// Names among the heads that members have written, and that folders or links bear now instead of files, with one of them.
  case covered(count: Int, first: String)

  /// Own sets that the storage had lost or damaged, which were sent again.
  case resent(author: AuthorID, count: Int)
  /// Long values that other devices could not have, which were sent again.
  case resentValues(count: Int)
  /// Own sets that the storage has lost and that are not kept here any more, or that others pass over who never had them: this store
  /// goes on as a new author, who says again what is in effect.
  case restated(former: AuthorID, lost: Int)
  /// Sets of an author were lost, and his device does not send them again: this store goes on as a new author, who says again what
  /// is in effect of them.
  case retired(author: AuthorID)
  /// Another author has said again what was in effect of an author whose sets were lost.
  case superseded(author: AuthorID, by: AuthorID)
  /// Another device cannot read one of this device's sets and asks for it.
  case asked(by: AuthorID, sequence: UInt64)
  /// Somebody claims to have said again more sets than anybody can have written. The statement is ignored.
  case statementRefused(Supersession)
  /// Files and folders of the document that the storage had lost, which were put back.
  case putBack(paths: [String])
  /// Something else lies where a file or folder belongs, and is in the way of what this device has to read or write there.
  case obstructed(RemotePath)
  /// Something else lay where only devices of the document write, and was in the way; it was removed.
  case cleared(RemotePath)
  /// The storage does not let this device remove what it has written, so that its former files stay, more with each synchronisation.
  case notRemoved(RemotePath, count: Int)
  /// Sets that this device needs have been missing for some time, and a whole store contains more than it holds.
  case wholeStoreAhead(WholeStoreName)
  /// A whole store cannot be begun with; the next one was tried, or the sets alone are merged.
  case wholeStoreRefused(WholeStoreName, why: String)
  /// Sets that this device needs were removed, because whole stores contain them: it was away for long, its store is an old copy, or it
  /// has joined where no whole store had arrived.
  case belowFloor
  /// Sets that this device needed had been removed or given up, or somebody has asked for it. It has taken over a whole store, kept what it had not pushed, and goes on as a
  /// new author.
  case returned(former: AuthorID, store: AuthorID)
  /// This device had been removed from the document. It has come back as a new author.
  case readmitted(former: AuthorID)
  /// Sets that this device needs were removed, and somebody has declined to take over a whole store.
  case returnDeclined
  /// Enough sets have come since the newest whole store, and another one could not be uploaded.
  case wholeStoreNotUploaded(why: String)
  /// Names in the form of a whole store that nobody known here has written, with one of them. They are ignored.
  case unverifiedStores(count: Int, first: String)
  /// So much lies among the heads that not all of it was looked at.
  case crowded

  /// One sentence for a person, in which devices are called by their authors' identifiers.
  public var description: String { sentence { "\($0)" } }

  /// One sentence for a person.
  ///
  /// - Parameter name: what a person calls the device of an author.
  public func sentence(_ name: (AuthorID) -> String) -> String { PrintableText.line(words(name)) }

  private func words(_ name: (AuthorID) -> String) -> String {
    switch self {
    case .waiting(let author, let sequence, let obstacle):
      "Set \(sequence) of \(name(author)) \(obstacle.words)"
    case .valueWaiting(let value, let obstacle): "A value of \(value.length) bytes \(obstacle.words)"
    case .regressed(let author, let applied, let listed):
      "The remote shows \(listed.map { "sets up to \($0)" } ?? "nothing") of \(name(author)), but \(applied) were applied: it is late, or has lost files. If it stays so, synchronise that device; it sends again what is missing. If it is gone, the others say it again in a week or two, as they synchronise."
    case .ownRegressed(let sent, let listed):
      "The remote shows \(listed.map { "sets up to \($0)" } ?? "nothing") of this device, which has sent \(sent): it is late, or has lost files. What is missing is sent again."
    case .forked(let author, let sequence):
      "Two copies of one store wrote set \(sequence) of \(name(author)); both were merged."
    case .newIncarnation:
      "This store was restored or copied. It goes on as a device of its own, and sends what only it has."
    case .unverifiedHeads(let count, let first):
      "\(count) file(s) such as “\(first)” among the heads were written by nobody who is known here, and are ignored. If they stay although all devices have synchronised, look at them with “ticds-inspect verify” before you remove any: devices that have a key of their own may have written them, or another document’s files were copied here. If they are of a device that is gone for good, remove that device."
    case .headsOfDeleted(let count, let first):
      "\(count) file(s) such as “\(first)” among the heads are of a document that had the same name and was deleted. They are there still, or came back, and are ignored. Delete that document once more from a device that took part in it: this one is left alone. If there is no such device any more, they do no harm."
    case .statementRefused(let statement):
      "“\(statement.name)” among the heads claims that \(name(statement.author)) has said \(statement.through) sets of \(name(statement.former)) again, more than anybody can have written; it is ignored. Remove it."
    case .passwordMissing:
      "No password opens the remote any more: each of the last ones was removed by a device that did not know of the other removal, or files that others have written are late. If storage may still deliver something, wait for it; otherwise add a password while there are devices that take part, for without them nobody can read the remote again."
    case .replacementLate:
      "The keys of the remote were replaced by another device, and the file of the new key is late, or damaged. Wait for it, then give this device the new password; if that file is lost or damaged for good, replace the keys once more."
    case .replacementRefused(let file):
      "The keys of the remote were replaced by another device, and the storage does not let this one read “\(file)”, which holds the new key. Give this account permission to read it, then give this device the new password."
    case .keptBack(let paths):
      "The storage does not let this device read “\(paths.first ?? "")”\(paths.count > 1 ? " and \(paths.count - 1) other file(s)" : ""), which newcomers need, so nothing tells whether it is whole. Give this account permission to read it."
    case .olderKeysMissing(let count):
      "\(count) of the older keys of the remote are not at hand, so what was written with them cannot be read: the files that hold them are late, or lost. Wait until the storage has delivered everything; a device that has the keys puts lost files back within a day of synchronising. If no device has them and nothing is missing, somebody who has the password may have made a key that only claims to come after others."
    case .keyMissing(let key) where key.unreadableFile != nil:
      "A key with which others may write (\(key.identifier)) is not at hand, and its file “\(key.unreadableFile?.name.description ?? "")” is damaged or not there in full, so no password gets it. Wait until the storage has delivered everything; if the file stays as it is, remove it: a device that has the key writes it anew, and if there is none, nothing more is lost."
    case .keyMissing(let key) where !key.hasFile:
      "The keys of the remote were replaced by somebody who takes part, and the file of the new one (\(key.identifier)) is late, or lost, so no password gets it, and what is written with it cannot be read here. Wait until the storage has delivered everything, then give this device the new password; if the file is lost for good, replace the keys once more."
    case .keyMissing(let key) where key.isReplacement:
      "The keys of the remote were replaced by somebody who takes part (the new one is \(key.identifier)), and the passwords of before open nothing any more. Give this device the new password: until then it cannot read what is written with the new key."
    case .keyMissing(let key):
      "Other devices created the remote at the same time, with a key of their own (\(key.identifier)). Give their password to read what they write; if it is the same as this device's, give it once more."
    case .foundedEncrypted(let key):
      "Other devices created the document with encryption (key \(key)), and this one goes without, so neither reads what the other writes; join with the password and a new store."
    case .foundingUnconfirmed(let key, let isEncrypted):
      "Other devices created the document at the same time (\(key)); \(isEncrypted ? "what they write is read once one of them has synchronised again. If they use a password of their own, it is read once that is given here as well." : "the two become one once one of them has synchronised again, or in a week.")"
    case .tooManyFoundings(let count):
      "\(count) devices have created the document apart, more than can become one (\(DocumentFounding.limit)): not all that the others write is read here. On the devices that show the least, export what they have, remove their notebooks and join anew, then import it."
    case .foundingRestored: "The record of the document's founding was missing; it was put back."
    case .headMissing(let author):
      "The head of \(name(author)) is missing; its sets were found without it. Synchronise that device, and it writes another."
    case .givenUp(let author, let sequence, let first?):
      "Sets \(first) to \(sequence) of \(name(author)) did not arrive in 30 days and are not waited for any more."
    case .givenUp(let author, let sequence, nil):
      "Set \(sequence) of \(name(author)) did not arrive in 30 days and is not waited for any more."
    case .foreign(let names):
      "\(names.count) file(s) such as “\(names.first ?? "")” lie among the heads and are none of this program's; they are ignored. Remove them if nobody needs them."
    case .covered(let count, let first):
      "\(count) name(s) such as “\(first)” among the heads are of files of this program, and something else bears them: a folder or a link. Move it out of the way; the devices go on without it."
    case .resent(_, let count): "The storage had lost \(count) set(s) of this device; they were sent again."
    case .resentValues(let count):
      "The storage had lost or damaged \(count) long value(s) that other devices ask for; they were sent again from here."
    case .restated(_, let lost):
      "The storage has lost \(lost) set(s) of this device that are not kept any more, or that others pass over; what they said is said again."
    case .retired(let author):
      "Sets of \(name(author)) were lost, and that device does not send them again; this one says again what was in them."
    case .superseded(let author, let other):
      "Sets of \(name(author)) were lost; \(name(other)) has said again what was in them."
    case .asked(let other, let sequence):
      "\(name(other)) could not read set \(sequence) of this device, and asks for it."
    case .putBack(let paths):
      "The storage had lost \(paths.joined(separator: ", ")); \(paths.count == 1 ? "it was" : "they were") put back."
    case .obstructed(let path):
      "Something else lies at “\(path)” on the remote, where a file or folder of this program belongs. Move it out of the way; what belongs there is put in its place."
    case .cleared(let path):
      "Something else lay at “\(path)” on the remote, where only devices of the document write. It was removed, and what belongs there was put in its place."
    case .notRemoved(let folder, let count):
      "The storage does not let this device remove files: \(count) of its former ones lie in “\(folder)”, each of them is listed at every synchronisation, and there will be more. Permit this user to remove files on the remote, then vacuum it."
    case .wholeStoreAhead(let store):
      "Sets that this device needs are missing, and a whole store of \(name(store.author)) contains \(store.total) sets, more than there are here. If they do not come, take it over (rejoin); what was made here is kept."
    case .wholeStoreRefused(let store, let why):
      "The whole store “\(store.name)” of \(name(store.author)) is not used: \(why)\(why.hasSuffix(".") ? "" : ".") If it stays so, upload another from a device that has everything."
    case .belowFloor:
      "Sets that this device needs were removed from the remote, because whole stores contain them: it was away for long, its store is an old copy, or it joined before a whole store had arrived. It goes on once it can take over a whole store; what was made here is on the remote."
    case .returned(_, let author):
      "This device has taken over a whole store of \(name(author)), because sets that it needs are not on the remote any more, or because it was told to; what was changed here meanwhile is kept, and goes to the others."
    case .readmitted:
      "This device had been removed from the document. It is back as a new device, and what was changed here meanwhile goes to the others."
    case .returnDeclined:
      "Taking over a whole store was declined. Until it is done, this device does not see all that the others write; what was made here is on the remote."
    case .wholeStoreNotUploaded(let why):
      "A whole store for new devices could not be uploaded; it is tried again later. \(why)\(why.hasSuffix(".") ? "" : ".")"
    case .unverifiedStores(let count, let first):
      "\(count) file(s) such as “\(first)” among the whole stores were written by nobody who is known here, and are ignored. Devices with another password may have written them, and they may be all that is left of what those made: remove none before “ticds-inspect verify”, with the passwords of all, calls it forged."
    case .crowded:
      "The folder of heads holds more files than are looked at; some may go unnoticed. Remove what “ticds-inspect verify” calls forged or foreign."
    }
  }
}

extension SyncFinding {
  /// The author of whom a set is waited for.
  var waitsFor: AuthorID? {
    if case .waiting(let author, _, _) = self { author } else { nil }
  }

  /// The author whose head is missing.
  var missesHead: AuthorID? {
    switch self {
    case .headMissing(let author), .regressed(let author, _, listed: nil): author
    default: nil
    }
  }

  /// Whether it says what came of taking over a whole store.
  var isAboutReturn: Bool {
    switch self {
    case .returned, .wholeStoreRefused: true
    default: false
    }
  }

  /// Whether a file is there that cannot be read.
  var isUnreadable: Bool {
    switch self {
    case .waiting(_, _, .unreadable), .valueWaiting(_, .unreadable): true
    default: false
    }
  }

  /// The key that would open what cannot be read, if that is what is missing.
  var unknownKey: KeyIdentifier? {
    switch self {
    case .waiting(_, _, .unknownKey(let key)), .valueWaiting(_, .unknownKey(let key)): key
    default: nil
    }
  }
}

extension SyncFinding.Obstacle {
  /// What is the matter, to follow the name of the thing.
  var words: String {
    switch self {
    case .missing: "has not arrived yet."
    case .torn: "has not arrived in full, or was changed."
    case .unknownKey(let key): "cannot be read: it is sealed with the key \(key), which is not at hand."
    case .unreadable(let why): "cannot be read: \(why)\(why.hasSuffix(".") ? "" : ".")"
    }
  }
}

extension SyncFinding.Obstacle {
  /// What stands in the way of a file that cannot be downloaded. Whatever is wrong with one file concerns its author alone; `nil`
  /// if it is the storage as a whole, or this device.
  init?(_ error: BackendError) {
    switch error.code {
    case .notFound: self = .missing
    case .damaged: self = .torn
    case .cancelled, .unauthorised, .rateLimited, .localFile: return nil
    default: self = .unreadable(error.description)
    }
  }

  /// What stands in the way of a file that was downloaded and does not open.
  ///
  /// - Parameter file: what lies there.
  init(opening file: [UInt8], _ error: any Error) {
    if (error as? CryptoError)?.code == .unknownKey, let key = try? SealedContainer.keyIdentifier(of: file) {
      self = .unknownKey(key)
    } else {
      self = .unreadable("\(error)")
    }
  }
}

extension SyncFinding {
  /// Whether it is about names among the heads that are ignored, and keep nothing back.
  package var isAboutIgnoredHeads: Bool {
    switch self {
    case .unverifiedHeads, .headsOfDeleted: true
    default: false
    }
  }

  /// Whether it is about files of a deleted document, which are no device's of this one.
  package var isAboutDeleted: Bool { if case .headsOfDeleted = self { true } else { false } }

  /// Whether it asks for the password of a key.
  var isKeyMissing: Bool { if case .keyMissing = self { true } else { false } }

  /// Whether it would be said of an author, too, whose heads are there and cannot be read for want of a key.
  var isAboutMissingHead: Bool { missesHead != nil }

  /// Whether it says that devices which founded the document apart do not read one another yet.
  var isAboutFoundings: Bool {
    switch self {
    case .keyMissing, .foundedEncrypted, .foundingUnconfirmed, .olderKeysMissing, .tooManyFoundings: true
    default: false
    }
  }
}

extension SyncReport {
  /// Whether other devices write with a key that is not at hand.
  package var isKeyMissing: Bool { findings.contains(where: \.isKeyMissing) }
}
