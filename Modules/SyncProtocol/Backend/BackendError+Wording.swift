extension BackendError.Code {
  /// The failure in a few words, to follow the name of the entry.
  var sentence: String {
    switch self {
    case .notFound: "does not exist"
    case .alreadyExists: "exists already"
    case .notADirectory: "is not a folder"
    case .isADirectory: "is a folder"
    case .unauthorised: "the storage does not accept the credentials"
    case .forbidden: "permission was denied"
    case .quotaExceeded: "no room is left"
    case .unreachable: "the storage cannot be reached"
    case .rateLimited: "the storage asks for fewer requests"
    case .locked: "is locked by somebody else"
    case .cancelled: "the operation was cancelled"
    case .damaged: "was not delivered in full"
    case .tooLarge: "is larger than expected"
    case .localFile: "a file on this device could not be read or written"
    case .unsupported: "the storage cannot do this"
    case .contradictory: "the storage contradicts itself"
    default: "the storage reported a failure"
    }
  }

  /// What a person can do, unless the back end knows better.
  var recovery: String {
    switch self {
    case .notFound: "Check the location of the remote, or create the document there first."
    case .alreadyExists: "Choose another name, or join what exists."
    case .notADirectory, .isADirectory: "Move the entry out of the way; the program did not put it there."
    case .unauthorised: "Enter the user name and password again."
    case .forbidden: "Give this account permission to read and write there."
    case .quotaExceeded:
      "Free some space or enlarge the quota; nothing was lost, and the next sync continues."
    case .unreachable: "Check the connection, or mount the folder; the next sync continues."
    case .rateLimited, .locked: "Wait a while; the next sync continues."
    case .cancelled: "Start again when you like; the next sync continues."
    case .damaged: "Wait until the storage has delivered everything; if it stays, verify the remote."
    case .tooLarge: "Verify the remote: no file of this program is as large as that."
    case .localFile: "Check the permissions and the free space of the folder on this device."
    case .unsupported: "Use another storage service for this."
    case .contradictory:
      "Look with another program whether the storage keeps what is written there: it may have no room, or refuse some names without saying so. Nothing is lost on this device; try again later."
    default: "Report the message together with the kind of storage."
    }
  }
}
