package org.spillway.cloud.azure;

import com.azure.core.management.SubResource;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.BootDiagnostics;
import com.azure.resourcemanager.compute.models.CachingTypes;
import com.azure.resourcemanager.compute.models.CapacityReservationProfile;
import com.azure.resourcemanager.compute.models.DeleteOptions;
import com.azure.resourcemanager.compute.models.DiagnosticsProfile;
import com.azure.resourcemanager.compute.models.DiskCreateOptionTypes;
import com.azure.resourcemanager.compute.models.DiskDeleteOptionTypes;
import com.azure.resourcemanager.compute.models.DiskEncryptionSetParameters;
import com.azure.resourcemanager.compute.models.HardwareProfile;
import com.azure.resourcemanager.compute.models.ImageReference;
import com.azure.resourcemanager.compute.models.LinuxConfiguration;
import com.azure.resourcemanager.compute.models.ManagedDiskParameters;
import com.azure.resourcemanager.compute.models.NetworkApiVersion;
import com.azure.resourcemanager.compute.models.NetworkProfile;
import com.azure.resourcemanager.compute.models.OSDisk;
import com.azure.resourcemanager.compute.models.OSProfile;
import com.azure.resourcemanager.compute.models.Plan;
import com.azure.resourcemanager.compute.models.PublicIpAddressSku;
import com.azure.resourcemanager.compute.models.PublicIpAddressSkuName;
import com.azure.resourcemanager.compute.models.PublicIpAllocationMethod;
import com.azure.resourcemanager.compute.models.ResourceIdentityType;
import com.azure.resourcemanager.compute.models.SecurityProfile;
import com.azure.resourcemanager.compute.models.SshConfiguration;
import com.azure.resourcemanager.compute.models.SshPublicKey;
import com.azure.resourcemanager.compute.models.StorageAccountTypes;
import com.azure.resourcemanager.compute.models.StorageProfile;
import com.azure.resourcemanager.compute.models.VMSizeProperties;
import com.azure.resourcemanager.compute.models.VirtualMachineEvictionPolicyTypes;
import com.azure.resourcemanager.compute.models.VirtualMachineIdentity;
import com.azure.resourcemanager.compute.models.VirtualMachineIdentityUserAssignedIdentities;
import com.azure.resourcemanager.compute.models.VirtualMachineNetworkInterfaceConfiguration;
import com.azure.resourcemanager.compute.models.VirtualMachineNetworkInterfaceIpConfiguration;
import com.azure.resourcemanager.compute.models.VirtualMachinePriorityTypes;
import com.azure.resourcemanager.compute.models.VirtualMachinePublicIpAddressConfiguration;
import com.azure.resourcemanager.compute.models.VirtualMachineSizeTypes;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** The body that is PUT for one machine: disk and interface stand in it, bear its tags, and go with it. */
final class MachineBody {
    /** Not the director's: what cloud-init gives this one, all of sudo, is not for that one. */
    private static final String USER = "azureuser";

    private final AzureSettings settings;
    private final Names names;

    MachineBody(AzureSettings settings, Names names) {
        this.settings = settings;
        this.names = names;
    }

    /**
     * Decisions made outside of the request.
     *
     * @param subnet its id
     * @param rules id of the security group of its interface; empty for that of its subnet alone
     * @param members id of the application security group that it is a member of; empty for none
     * @param group id of the fabric group; empty for none
     * @param availabilitySet whether it is one, and not a proximity placement group
     * @param cores so many CPUs with one thread each; 0 for the size's own
     * @param sshKey in OpenSSH's format
     */
    record Place(
            String subnet,
            String rules,
            String members,
            String group,
            boolean availabilitySet,
            boolean acceleratedNetworking,
            int cores,
            String sshKey) {
        static int cores(Size size) {
            return size.threads() > 1 ? size.resources().cpus() : 0;
        }
    }

    VirtualMachineInner of(LaunchRequest request, OfferingId offering, String name, Place place) {
        Map<String, String> tags = names.tags(request);
        VirtualMachineInner machine = new VirtualMachineInner()
                .withLocation(settings.location())
                .withTags(tags)
                .withHardwareProfile(hardware(offering.instanceType(), place.cores()))
                .withStorageProfile(storage(request, name))
                .withOsProfile(system(request, name, place.sshKey()))
                .withNetworkProfile(network(tags, name, place))
                .withDiagnosticsProfile(
                        new DiagnosticsProfile().withBootDiagnostics(new BootDiagnostics().withEnabled(true)));
        if (!offering.zone().equals(settings.location())) {
            machine.withZones(List.of(offering.zone()));
        }
        String identity = Instance.isAdministered(tags)
                ? settings.machine().directorIdentity()
                : settings.machine().identity();
        if (!identity.isEmpty()) {
            machine.withIdentity(new VirtualMachineIdentity()
                    .withType(ResourceIdentityType.USER_ASSIGNED)
                    .withUserAssignedIdentities(Map.of(identity, new VirtualMachineIdentityUserAssignedIdentities())));
        }
        AzureMachine.MarketPlan plan = settings.machine().plan();
        if (plan != null && (request.image().isEmpty() || request.image().equals(settings.image()))) {
            machine.withPlan(new Plan()
                    .withPublisher(plan.publisher())
                    .withProduct(plan.product())
                    .withName(plan.name()));
        }
        if (settings.encryptionAtHost()) {
            machine.withSecurityProfile(new SecurityProfile().withEncryptionAtHost(true));
        }
        if (offering.market() == Market.SPOT) {
            machine.withPriority(VirtualMachinePriorityTypes.SPOT)
                    .withEvictionPolicy(VirtualMachineEvictionPolicyTypes.DELETE);
        }
        if (offering.market() == Market.RESERVED) {
            String given = request.placement().reservation();
            machine.withCapacityReservation(new CapacityReservationProfile()
                    .withCapacityReservationGroup(
                            new SubResource().withId(given.isEmpty() ? settings.reservation() : given)));
        }
        if (!place.group().isEmpty()) {
            SubResource group = new SubResource().withId(place.group());
            if (place.availabilitySet()) {
                machine.withAvailabilitySet(group);
            } else {
                machine.withProximityPlacementGroup(group);
            }
        }
        return machine;
    }

    /** "Setting this property to 1 also means that hyper-threading is disabled" (VMSizeProperties of the compute API). */
    private static HardwareProfile hardware(String size, int cores) {
        HardwareProfile hardware = new HardwareProfile().withVmSize(VirtualMachineSizeTypes.fromString(size));
        return cores == 0
                ? hardware
                : hardware.withVmSizeProperties(
                        new VMSizeProperties().withVCpusAvailable(cores).withVCpusPerCore(1));
    }

    private StorageProfile storage(LaunchRequest request, String name) {
        // Encrypted at rest by the platform; encryptionAtHost adds caches and local disks.
        ManagedDiskParameters managed =
                new ManagedDiskParameters().withStorageAccountType(StorageAccountTypes.fromString(settings.diskType()));
        if (!settings.machine().encryptionSet().isEmpty()) {
            managed.withDiskEncryptionSet(
                    new DiskEncryptionSetParameters().withId(settings.machine().encryptionSet()));
        }
        OSDisk disk = new OSDisk()
                .withName(names.disk(name))
                .withCreateOption(DiskCreateOptionTypes.FROM_IMAGE)
                .withCaching(CachingTypes.READ_WRITE)
                .withDeleteOption(DiskDeleteOptionTypes.DELETE)
                .withManagedDisk(managed);
        if (settings.diskGib() > 0) {
            disk.withDiskSizeGB(settings.diskGib());
        }
        String image = request.image().isEmpty() ? settings.image() : request.image();
        return new StorageProfile().withOsDisk(disk).withImageReference(image(image));
    }

    static ImageReference image(String text) {
        if (text.startsWith("/CommunityGalleries/") || text.startsWith("/communityGalleries/")) {
            return new ImageReference().withCommunityGalleryImageId(text);
        }
        if (text.startsWith("/SharedGalleries/") || text.startsWith("/sharedGalleries/")) {
            return new ImageReference().withSharedGalleryImageId(text);
        }
        String[] urn = text.split(":", -1);
        return urn.length == 4
                ? new ImageReference()
                        .withPublisher(urn[0])
                        .withOffer(urn[1])
                        .withSku(urn[2])
                        .withVersion(urn[3])
                : new ImageReference().withId(text);
    }

    private static OSProfile system(LaunchRequest request, String name, String sshKey) {
        OSProfile system = new OSProfile()
                .withComputerName(name)
                .withAdminUsername(USER)
                .withLinuxConfiguration(new LinuxConfiguration()
                        .withDisablePasswordAuthentication(true)
                        .withSsh(new SshConfiguration()
                                .withPublicKeys(List.of(new SshPublicKey()
                                        .withPath("/home/" + USER + "/.ssh/authorized_keys")
                                        .withKeyData(sshKey)))));
        if (!request.userData().isEmpty()) {
            system.withCustomData(
                    Base64.getEncoder().encodeToString(request.userData().getBytes(StandardCharsets.UTF_8)));
        }
        return system;
    }

    private NetworkProfile network(Map<String, String> tags, String name, Place place) {
        VirtualMachineNetworkInterfaceIpConfiguration address = new VirtualMachineNetworkInterfaceIpConfiguration()
                .withName("main")
                .withPrimary(true)
                .withSubnet(new SubResource().withId(place.subnet()));
        if (!place.members().isEmpty()) {
            address.withApplicationSecurityGroups(List.of(new SubResource().withId(place.members())));
        }
        if (settings.directorPublicAddress() && Instance.isAdministered(tags)) {
            address.withPublicIpAddressConfiguration(new VirtualMachinePublicIpAddressConfiguration()
                    .withName(names.address(name))
                    .withTags(tags)
                    .withSku(new PublicIpAddressSku().withName(PublicIpAddressSkuName.STANDARD))
                    .withPublicIpAllocationMethod(PublicIpAllocationMethod.STATIC)
                    .withDeleteOption(DeleteOptions.DELETE));
        }
        VirtualMachineNetworkInterfaceConfiguration nic = new VirtualMachineNetworkInterfaceConfiguration()
                .withName(names.nic(name))
                .withTags(tags)
                .withPrimary(true)
                .withDeleteOption(DeleteOptions.DELETE)
                .withIpConfigurations(List.of(address));
        if (!place.rules().isEmpty()) {
            nic.withNetworkSecurityGroup(new SubResource().withId(place.rules()));
        }
        if (place.acceleratedNetworking()) {
            nic.withEnableAcceleratedNetworking(true);
        }
        return new NetworkProfile()
                .withNetworkApiVersion(NetworkApiVersion.TWO_ZERO_TWO_TWO_ONE_ONE_ZERO_ONE)
                .withNetworkInterfaceConfigurations(List.of(nic));
    }

    /**
     * A key of which nobody has, or ever had, the private half: its point is a hash. The provider insists on a key where
     * passwords are off; who may log in is said by user data.
     */
    static String nobodysKey(String seed) {
        byte[] point = Names.digest("spillway-nobody\n" + seed);
        byte[] type = "ssh-ed25519".getBytes(StandardCharsets.US_ASCII);
        byte[] blob = java.nio.ByteBuffer.allocate(8 + type.length + point.length)
                .putInt(type.length)
                .put(type)
                .putInt(point.length)
                .put(point)
                .array();
        return "ssh-ed25519 " + Base64.getEncoder().encodeToString(blob) + " nobody";
    }
}
