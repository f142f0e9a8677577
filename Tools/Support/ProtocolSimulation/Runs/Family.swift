import Simulation

extension ProtocolSimulation {
  /// One kind of thing that happens to devices and storage.
  public enum Family: String, SimulationFamily {
    case replicated, encrypted, foundingRaces, earlyWrites, lostRequests, lostAnswers, crashes, staleListings
    case partialFiles, conflictCopies, foreignFiles, restoredStores, clonedStores, wrongClocks
    case rolledBack, lostFiles, torn, lateFiles, severalPasswords, lostRecords, wholeStores, vacuums, removals
    case longTexts, passwords, obstructions, deletions, answers, departures

    /// In a few words.
    public var summary: String {
      switch self {
      case .replicated: "each device has its own copy of the folder; files arrive in any order"
      case .encrypted: "with a password"
      case .foundingRaces:
        "devices register at any time, at once too, each perhaps as the first that it knows of"
      case .earlyWrites: "devices write before they register"
      case .lostRequests: "requests fail before they take effect"
      case .lostAnswers: "requests fail after they took effect"
      case .crashes: "synchronisations and registrations are killed at any request"
      case .staleListings: "a listing may be one of earlier"
      case .partialFiles: "a file may arrive in part first"
      case .conflictCopies: "one of two files of one name is put aside"
      case .foreignFiles: "others put files of their own among ours"
      case .restoredStores: "stores are restored from a backup"
      case .clonedStores: "stores are copied to other devices"
      case .wrongClocks: "clocks differ by years, and step"
      case .rolledBack: "the storage goes back to an earlier state"
      case .lostFiles: "the storage loses files for good"
      case .torn: "the storage damages files for good"
      case .lateFiles: "what lies on the server is not seen for a while"
      case .severalPasswords: "with encryption and founding races: some devices have another password"
      case .lostRecords: "with founding races: what storage loses may be records of foundings and keys, too"
      case .wholeStores: "devices upload whole stores, by themselves too; some join late and begin with one"
      case .vacuums:
        "with whole stores: devices remove what nobody needs, at once too; who lacks it by then takes over a whole store; months go by, and what tells of it may come later still"
      case .removals:
        "devices remove each other from the document; some of those come back, with what they had not sent, and some do not"
      case .longTexts: "some texts are too long for a set, and travel in files of their own"
      case .passwords:
        "with encryption: devices change, add and remove passwords, and put new keys in the place of old ones"
      case .obstructions:
        "folders come to lie where files were, and files where folders were, until a person moves them away"
      case .departures:
        "in the end devices go for good, storage loses what they wrote, and somebody joins later"
      case .answers: "users decide conflicts, whatever the clocks say"
      case .deletions:
        "in the end a device deletes the document, and storage may go back to before"
      }
    }

    /// What is left out of the default run until it is mended, and why.
    public static let knownDefects: [Family: String] = [:]
  }
}
