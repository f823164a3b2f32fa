package org.spillway.cloud.aws;

import static org.spillway.cloud.aws.AwsDiagnostics.broken;
import static org.spillway.cloud.aws.AwsDiagnostics.good;

import java.util.Optional;
import org.spillway.cloud.Diagnostics.Finding;
import software.amazon.awssdk.services.ec2.model.BlockDeviceMapping;
import software.amazon.awssdk.services.ec2.model.DeviceType;
import software.amazon.awssdk.services.ec2.model.Image;
import software.amazon.awssdk.services.ec2.model.ImageState;

/** Words of doctor about an image that is there: whether a machine of ours can be made of it. */
final class AwsImageChecks {
    private AwsImageChecks() {}

    /** Of one that no listing shows. EC2 leaves out what is not shared, and a launch says "Not authorized for images". */
    static Finding missing(String image, String region) {
        return broken(
                "image",
                image + " is not there in " + region + " for this account",
                "look its id up in " + region
                        + " (ids are of one region); where it is another account's, have that share it:"
                        + " aws ec2 modify-image-attribute --image-id " + image
                        + " --launch-permission Add=[{UserId=OUR_ACCOUNT}]");
    }

    /** Of one that is named by owner and name. */
    static Finding noneIs(String selector) {
        int slash = selector.indexOf('/');
        String owner = selector.substring(AwsNewest.PREFIX.length(), slash);
        String name = selector.substring(slash + 1);
        return broken(
                "image",
                "no image of " + owner + " with its root on EBS is named '" + name + "' here",
                "look what there is: aws ec2 describe-images --owners " + owner + " --filters 'Name=name,Values=" + name
                        + "'");
    }

    static Finding say(Image image, int diskGib) {
        String id = image.imageId();
        if (image.state() != null && image.state() != ImageState.AVAILABLE) {
            return broken("image", id + " is " + image.stateAsString(), "wait for it, or choose one that is available");
        }
        if ("windows".equalsIgnoreCase(image.platformAsString())) {
            return broken("image", id + " is of Windows", "choose an image of Linux");
        }
        if (image.rootDeviceType() == DeviceType.INSTANCE_STORE) {
            return broken(
                    "image",
                    id + " has its root on an instance store, and root disks here are EBS volumes",
                    "choose an image whose rootDeviceType is ebs");
        }
        int gib = rootGib(image).orElse(0);
        if (gib > diskGib) {
            return broken(
                    "image",
                    id + " has a root disk of " + gib + " GiB, and diskGiB is " + diskGib,
                    "set diskGiB: " + gib + " or more");
        }
        return good("image", id + " " + AwsErrors.printable(String.valueOf(image.name())));
    }

    private static Optional<Integer> rootGib(Image image) {
        return image.blockDeviceMappings().stream()
                .filter(each -> each.ebs() != null
                        && each.ebs().volumeSize() != null
                        && String.valueOf(image.rootDeviceName()).equals(each.deviceName()))
                .map(BlockDeviceMapping::ebs)
                .map(disk -> disk.volumeSize())
                .findFirst();
    }
}
