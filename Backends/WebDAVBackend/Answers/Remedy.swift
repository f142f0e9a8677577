/// What a person can do about a failure, where the server's answer tells more than `BackendError.Code` does: the recovery of the
/// error. A program that has words of its own, for its options, finds the case by the sentence.
public enum Remedy: String, CaseIterable, Sendable {
  /// The server asks who it is, and nobody has said.
  case giveCredentials = "Give the user name and password, or the token, that the server asks for."
  /// The server refuses what it was told.
  case checkCredentials = "Check the user name and the password, or the token: the server refuses them."
  /// The server knows only ways to log in that are not known here.
  case offerLogin = "Have the server take a password by Basic or Digest, or a token."
  /// The proxy refuses what it was told.
  case giveProxyCredentials = "Enter the user name and password of the proxy."
  /// Nobody who is trusted has signed the server's certificate.
  case trustServer =
    "Name the file with the certificate authority of the server, or the pin of its key, if you trust it."
  /// Who is trusted has signed the certificate, for another host.
  case checkName =
    "Use the host's name that the server's certificate is for, or have the server show one for this name."
  /// Who is trusted has signed the certificate, for another time.
  case renewCertificate =
    "Check this device's date; if it is right, have the server's certificate renewed."
  /// What is pinned is another key.
  case compareKey =
    "The key has changed, or this is not your server: compare the pin with the server's key, on the server itself."
  /// The server wants to know who asks by a certificate.
  case giveCertificate =
    "Name a certificate of this device that the server takes, together with its key."
  /// The server breaks off where TLS has just begun, and says nothing.
  case mayNeedCertificate =
    "Try again later; if it stays so, check the port and whether the server speaks TLS there: it may want a certificate of this device, too."
  /// A password would go where anybody can read it.
  case encrypt =
    "Use an address with TLS, or allow the password to go through connections that anybody can read."
  /// Another port may be meant, or no TLS.
  case leaveTLS = "Check the port, and whether the server speaks TLS there as the address says."
  /// Another port may be meant, or TLS.
  case tryTLS = "Check the port, and whether the server wants TLS there, which the address does not say."
  /// Something else listens.
  case checkPort = "Check the port: what answers there is no web server."
  /// A web server, or a network that wants somebody to log in.
  case findWebDAV = "Check that the address is that of a WebDAV folder; it often has a path of its own."
  /// What lies there can be read at most.
  case allowWriting =
    "Check that the folder is not shared for reading only, and that this account may write in it."
  /// The name is not known.
  case checkHost = "Check the host's name in the address, and that this device is connected."
  /// Nobody listens.
  case checkServer = "Check the host and the port in the address, and that the server runs."
  /// Somebody listens and says nothing.
  case wait = "Try again later; if it stays so, check the host, the port, and whether TLS is spoken there."
  /// The proxy is gone.
  case checkProxy = "Check the address of the proxy, and that it runs."
  /// The server says that something is there and that nothing is.
  case expectSense =
    "Try again later; if it stays so, look into the server's log: its answers contradict each other."
  /// The server answers what makes no sense, or not to the end.
  case expectAnswer =
    "Try again later; if it stays so, look into the server's log: it does not answer as it should."
  /// The server, or one behind it, has trouble of its own.
  case awaitServer =
    "Try again later; if it stays so, ask who runs the server: it has trouble. The next sync continues."
  /// The server says no, for a reason that is not known here.
  case askServer = "Ask who runs the server why it refuses this; its log may tell."
  /// There is no such folder.
  case checkPath =
    "Check the path in the address. A folder that was there before must be mounted or put back, one that is to be new must be made first."
  /// There is no such folder, and no WebDAV either: it was never there, or the server served nothing else.
  case findRoot =
    "Check the address: nothing lies there. A folder that was there before must be mounted or put back; that for WebDAV often has a path of its own."
  /// The server sends us away.
  case followRedirection = "Enter the address that the server redirects to, if you trust it."
  /// The server takes no file of this size.
  case allowLargeFiles =
    "Have the server, or the proxy before it, accept files as large as this; the next sync continues."
  /// More lies in the folder than is read.
  case emptyFolder =
    "Remove from the folder, with another program, what does not belong there; the next sync continues."
}
