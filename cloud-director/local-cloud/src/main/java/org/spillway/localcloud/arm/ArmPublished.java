package org.spillway.localcloud.arm;

import java.util.Map;
import org.spillway.localcloud.PublishedForms;
import org.spillway.localcloud.PublishedForms.Form;
import org.spillway.localcloud.PublishedForms.Pause;

/** Errors of the resource manager and of the compute provider behind it, as Microsoft's documents show them. */
final class ArmPublished {
    private static final String JSON = "application/json; charset=utf-8";
    private static final String THROTTLING = "learn.microsoft.com, Troubleshooting API throttling errors";
    private static final String LIMITS =
            "learn.microsoft.com, Understand how Azure Resource Manager throttles requests";
    private static final String LOCKS = "learn.microsoft.com, Lock your Azure resources to protect your infrastructure";
    private static final String REGISTRATION = "learn.microsoft.com, Resolve errors for resource provider registration";
    private static final String GATEWAY = "Azure/azure-sdk-for-go, tests of its retry policy: bodies that are no JSON";

    /** The compute provider's sentence, its cause one level below. */
    private static final String COMPUTE = """
            "code": "OperationNotAllowed",
            "message": "The server rejected the request because too many requests have been received for this subscription.",
            "details": [{"code": "TooManyRequests", "target": "HighCostGet30Min", "message":
              "{\\"operationGroup\\":\\"HighCostGet30Min\\",\\"allowedRequestCount\\":800,\\"measuredRequestCount\\":1238}"}]
            """;

    static final PublishedForms FORMS = new PublishedForms(Map.of(
            "throttled-compute", new Form(429, Pause.SECONDS, JSON, "{" + COMPUTE + "}", THROTTLING),
            "throttled-compute-envelope",
                    new Form(429, Pause.SECONDS, JSON, "{\"error\": {" + COMPUTE + "}}", THROTTLING),
            "throttled-manager",
                    new Form(
                            429,
                            Pause.DATE,
                            JSON,
                            error(
                                    "SubscriptionRequestsThrottled",
                                    "Number of 'read' requests for subscription exceeded the limit of '12000' for time"
                                            + " interval '01:00:00'. Please try again after '5' minutes."),
                            LIMITS),
            "throttled-html",
                    new Form(
                            429,
                            Pause.SECONDS,
                            "text/html",
                            "<html><head><title>Too Many Requests</title></head><body></body></html>",
                            GATEWAY),
            "throttled-empty", new Form(429, Pause.SECONDS, "", "", LIMITS),
            "unavailable-html",
                    new Form(
                            503,
                            Pause.SECONDS,
                            "text/html",
                            "<html><head><title>Service Unavailable</title></head></html>",
                            GATEWAY),
            "locked",
                    new Form(
                            409,
                            Pause.NONE,
                            JSON,
                            error(
                                    "ScopeLocked",
                                    "The scope '/subscriptions/x/resourceGroups/spillway' cannot perform delete operation"
                                            + " because following scope(s) are locked: '/subscriptions/x/resourceGroups/spillway'."
                                            + " Please remove the lock and try again."),
                            LOCKS),
            "unregistered",
                    new Form(
                            409,
                            Pause.NONE,
                            JSON,
                            error(
                                    "MissingSubscriptionRegistration",
                                    "The subscription is not registered to use namespace 'Microsoft.Compute'. See"
                                            + " https://aka.ms/rps-not-found for how to register subscriptions."),
                            REGISTRATION),
            "xml",
                    new Form(
                            403,
                            Pause.NONE,
                            "application/xml",
                            "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>AuthorizationFailed</Code>"
                                    + "<Message>This request is not authorized to perform this operation.</Message></Error>",
                            "learn.microsoft.com, Status and error codes (storage REST API)")));

    private ArmPublished() {}

    private static String error(String code, String message) {
        return "{\"error\": {\"code\": \"" + code + "\", \"message\": \"" + message + "\"}}";
    }
}
