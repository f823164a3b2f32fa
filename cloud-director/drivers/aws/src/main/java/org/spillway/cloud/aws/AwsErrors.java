package org.spillway.cloud.aws;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/** Meanings of EC2's error codes for money, by the table in {@code error-codes.txt}, which names its sources. */
final class AwsErrors {
    private static final int MAX_MESSAGE = 500;
    private static final int HTTP_UNAUTHORIZED = 401;
    private static final int HTTP_TOO_MANY = 429;
    private static final Pattern DENIED =
            Pattern.compile("not authorized to perform: ([a-z0-9-]{1,40}:[A-Za-z]{1,80})");
    private static final Pattern ORGANIZATION = Pattern.compile("explicit deny in a service control policy");
    private static final ErrorTable TABLE = ErrorTable.beside(AwsErrors.class, "error-codes.txt");

    private AwsErrors() {}

    /**
     * By the table. A code that nobody has published is Unknown, and so is one about a parameter with a status of the server's.
     * 429 is throttling whatever comes with it: it may be from a proxy that knows no codes.
     */
    static LaunchOutcome ofCode(String code, int status, String message) {
        if (status == HTTP_TOO_MANY) {
            return new LaunchOutcome.Refused(Reason.THROTTLED, said(status, code, message));
        }
        Reason reason = TABLE.meaning(code, message)
                .flatMap(ErrorTable.Meaning::reason)
                .filter(known -> known != Reason.INVALID || (status >= 400 && status < 500))
                .orElse(null);
        if (reason != null) {
            return new LaunchOutcome.Refused(reason, code + ": " + printable(message));
        }
        // With 401 the HTTP client cannot read the body: the caller is not known, so nothing was done.
        return status == HTTP_UNAUTHORIZED
                ? new LaunchOutcome.Refused(Reason.CREDENTIALS, said(status, code, ""))
                : new LaunchOutcome.Unknown("answer " + said(status, code, message));
    }

    /** The meaning of a launch call's failure. */
    static LaunchOutcome ofLaunch(SdkException failed) {
        if (failed instanceof AwsServiceException answered) {
            return ofCode(code(answered), answered.statusCode(), text(answered));
        }
        // Nothing was sent, so nothing exists; "throttled" makes the caller come back later.
        return wasNotSent(failed)
                ? new LaunchOutcome.Refused(Reason.THROTTLED, describe(failed))
                : new LaunchOutcome.Unknown("no answer: " + text(failed));
    }

    /** The meaning of any other call's failure to its caller. */
    static CloudException ofCall(String call, SdkException failed) {
        return new CloudException(reason(failed), call + ": " + describe(failed), failed);
    }

    static Reason reason(SdkException failed) {
        if (failed instanceof AwsServiceException answered) {
            return ofCode(code(answered), answered.statusCode(), "") instanceof LaunchOutcome.Refused refused
                    ? refused.reason()
                    : Reason.THROTTLED;
        }
        return noCredentials(failed) ? Reason.CREDENTIALS : Reason.THROTTLED;
    }

    static String describe(SdkException failed) {
        Optional<String> unknown = unknownName(failed);
        if (unknown.isPresent()) {
            return "endpoint not reached: the name service does not find " + unknown.get();
        }
        return failed instanceof AwsServiceException answered
                ? said(answered.statusCode(), code(answered), text(answered))
                : (wasNotSent(failed) && !(failed instanceof AwsCourtesy.Held) ? "endpoint not reached: " : "")
                        + text(failed);
    }

    /** An answer without a code or a sentence is told by what its status means. */
    private static String said(int status, String code, String message) {
        String words = !message.isEmpty() && !message.equals("null")
                ? printable(message)
                : switch (status) {
                    case HTTP_UNAUTHORIZED -> "the credentials are not accepted";
                    case HTTP_TOO_MANY -> "too many calls";
                    default -> "the answer says nothing more";
                };
        return status + (code.isEmpty() ? "" : " " + code) + ": " + words;
    }

    /** Empty when the answer has none that can be read. */
    static String code(SdkException failed) {
        return failed instanceof AwsServiceException answered
                        && answered.awsErrorDetails() != null
                        && answered.awsErrorDetails().errorCode() != null
                ? answered.awsErrorDetails().errorCode()
                : "";
    }

    /** The action that a policy lacks, as the provider names it. */
    static String deniedAction(SdkException failed) {
        Matcher found = DENIED.matcher(text(failed));
        return found.find() ? found.group(1) : "it to this user or role";
    }

    /** Whether a policy above the account is in the way ("Access denied due to a service control policy"). */
    static boolean isOfOrganization(SdkException failed) {
        return ORGANIZATION.matcher(text(failed)).find();
    }

    /** Whether the signature's time was not the provider's. */
    static boolean isLate(SdkException failed) {
        String message = String.valueOf(failed.getMessage());
        return code(failed).equals("RequestExpired")
                || code(failed).equals("RequestTimeTooSkewed")
                || message.contains("Signature expired")
                || message.contains("Signature not yet current");
    }

    /** Whether what was to be deleted or looked at is not there. */
    static boolean isGone(SdkException failed) {
        String code = code(failed);
        return code.contains("NotFound")
                || code.equals("InvalidPlacementGroup.Unknown")
                || code.equals("InvalidGroup.NotFound")
                || code.equals("InvalidAMIID.Unavailable")
                || code.equals("Gateway.NotAttached");
    }

    private static boolean noCredentials(SdkException failed) {
        return String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT).contains("unable to load credentials");
    }

    /** The SDK says that there is one, and not which. */
    private static Optional<String> unknownName(Throwable failed) {
        int depth = 0;
        for (Throwable cause = failed; cause != null && depth < 10; cause = cause.getCause(), depth++) {
            // The SDK's own of that class has its advice for a message, and the name in its cause.
            if (cause instanceof UnknownHostException && !(cause.getCause() instanceof UnknownHostException)) {
                String message = String.valueOf(cause.getMessage());
                return Optional.of(printable(message.replaceFirst(":.*", "")));
            }
        }
        return Optional.empty();
    }

    private static boolean wasNotSent(Throwable failed) {
        int depth = 0;
        for (Throwable cause = failed; cause != null && depth < 10; cause = cause.getCause(), depth++) {
            if (cause instanceof AwsCourtesy.Held
                    || cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof NoRouteToHostException
                    || cause instanceof SSLHandshakeException) {
                return true;
            }
            if (cause instanceof SocketTimeoutException
                    && String.valueOf(cause.getMessage())
                            .toLowerCase(Locale.ROOT)
                            .contains("connect timed out")) {
                return true;
            }
        }
        return false;
    }

    private static String text(SdkException failed) {
        String message = failed instanceof AwsServiceException answered && answered.awsErrorDetails() != null
                ? String.valueOf(answered.awsErrorDetails().errorMessage())
                : String.valueOf(failed.getMessage());
        return printable(message);
    }

    static String printable(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", " ");
        return clean.length() > MAX_MESSAGE ? clean.substring(0, MAX_MESSAGE) + "..." : clean;
    }
}
